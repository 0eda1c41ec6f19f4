//! The words of the tray and of messages, in every language of the window. The page has its own catalogues; these few are
//! here because they are needed before and without a page. That none is missing the compiler sees to.

use chrono::{DateTime, Local};

/// A language of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// English.
    English,
    /// 日本語.
    Japanese,
    /// 한국어.
    Korean,
    /// 繁體中文.
    TraditionalChinese,
}

impl Language {
    /// By a language tag such as `ja-JP`, or a locale of POSIX such as `zh_TW.UTF-8`; English for others. Simplified Chinese
    /// is another writing, and is not among them.
    pub(crate) fn of(tag: &str) -> Self {
        let tag = tag.split(['.', '@']).next().unwrap_or_default().replace('_', "-").to_lowercase();
        let mut parts = tag.split('-');
        match parts.next() {
            Some("ja") => Self::Japanese,
            Some("ko") => Self::Korean,
            Some("zh") if parts.any(|part| ["hant", "tw", "hk", "mo"].contains(&part)) => {
                Self::TraditionalChinese
            }
            _ => Self::English,
        }
    }

    /// As the system has it, by the variables that say so.
    pub(crate) fn of_system() -> Self {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(set)
            .map_or(Self::English, |tag| Self::of(&tag))
    }

    /// Its words.
    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Japanese => &JAPANESE,
            Self::Korean => &KOREAN,
            Self::TraditionalChinese => &TRADITIONAL_CHINESE,
        }
    }
}

/// The words. `{}` stands for what is put in.
pub(crate) struct Words {
    /// Menu: shows the inbox.
    pub open_inbox: &'static str,
    /// Menu, with a number: what is left to review; one item.
    to_review_one: &'static str,
    /// The same for any other number.
    to_review: &'static str,
    /// Menu: nothing is left to review.
    nothing_to_review: &'static str,
    /// Menu, with a time: when memory was written last.
    last_write: &'static str,
    /// Menu: nothing was written yet.
    no_write: &'static str,
    /// Menu: stops recording until told otherwise.
    pub pause: &'static str,
    /// Menu: goes on recording.
    pub resume: &'static str,
    /// Menu: ends the app.
    pub quit: &'static str,
    /// Message: a secret was written.
    pub secret: &'static str,
    /// Message: many memories were deleted.
    pub mass_delete: &'static str,
    /// Message: text was written that a person does not see.
    pub hidden_text: &'static str,
    /// Message: a session broke a rule.
    pub broken_rule: &'static str,
    /// The rule was before the model.
    pub rule_was_there: &'static str,
    /// It was not.
    pub rule_was_not_there: &'static str,
    /// Message, with a number: found in more memories than the one named.
    more: &'static str,
    /// Message: what is named in place of a path that is redacted.
    pub redacted: &'static str,
    /// Message, with a number: memories that a session changed; one.
    changed_one: &'static str,
    /// The same for any other number.
    changed: &'static str,
    /// Message: who wrote, where no session is known.
    pub unknown_writer: &'static str,
    /// Message: who wrote, where the session has no title.
    pub untitled: &'static str,
    /// Between the names of a list.
    pub comma: &'static str,
}

impl Words {
    /// Text for the number of unreviewed memories.
    pub(crate) fn to_review(&self, count: u64) -> String {
        match count {
            0 => self.nothing_to_review.to_owned(),
            1 => self.to_review_one.to_owned(),
            _ => put(self.to_review, &count.to_string()),
        }
    }

    /// When memory was written last: the time today, the day before that.
    pub(crate) fn last_write(&self, at: Option<DateTime<Local>>, now: DateTime<Local>) -> String {
        let Some(at) = at else { return self.no_write.to_owned() };
        let form = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
        put(self.last_write, &at.format(form).to_string())
    }

    /// So many memories more.
    pub(crate) fn more(&self, count: u64) -> String {
        put(self.more, &count.to_string())
    }

    /// So many memories changed.
    pub(crate) fn changed(&self, count: u64) -> String {
        if count == 1 { self.changed_one.to_owned() } else { put(self.changed, &count.to_string()) }
    }
}

fn put(text: &str, what: &str) -> String {
    text.replacen("{}", what, 1)
}

const ENGLISH: Words = Words {
    open_inbox: "Open the inbox",
    to_review_one: "1 change to review",
    to_review: "{} changes to review",
    nothing_to_review: "Nothing to review",
    last_write: "Last write: {}",
    no_write: "No write yet",
    pause: "Pause recording",
    resume: "Resume recording",
    quit: "Quit Retrace",
    secret: "Something like a secret was written to memory",
    mass_delete: "Many memories were deleted at once",
    hidden_text: "Hidden text was written to memory",
    broken_rule: "A session broke a rule",
    rule_was_there: "The rule was before the model",
    rule_was_not_there: "The rule was not before the model",
    more: "and {} more",
    redacted: "(redacted path)",
    changed_one: "1 memory changed",
    changed: "{} memories changed",
    unknown_writer: "Unknown writer",
    untitled: "A session",
    comma: ", ",
};

const JAPANESE: Words = Words {
    open_inbox: "受信箱を開く",
    to_review_one: "確認待ちの変更 1 件",
    to_review: "確認待ちの変更 {} 件",
    nothing_to_review: "確認待ちはありません",
    last_write: "最後の書き込み: {}",
    no_write: "書き込みはまだありません",
    pause: "記録を一時停止",
    resume: "記録を再開",
    quit: "Retrace を終了",
    secret: "秘密情報らしきものがメモリに書き込まれました",
    mass_delete: "多数のメモリが一度に削除されました",
    hidden_text: "見えない文字がメモリに書き込まれました",
    broken_rule: "セッションがルールに違反しました",
    rule_was_there: "ルールはモデルに渡されていました",
    rule_was_not_there: "ルールはモデルに渡されていませんでした",
    more: "ほか {} 件",
    redacted: "(墨消しされたパス)",
    changed_one: "1 件のメモリが変更されました",
    changed: "{} 件のメモリが変更されました",
    unknown_writer: "書き込み元不明",
    untitled: "セッション",
    comma: "、",
};

const KOREAN: Words = Words {
    open_inbox: "받은 변경 열기",
    to_review_one: "검토할 변경 1건",
    to_review: "검토할 변경 {}건",
    nothing_to_review: "검토할 변경 없음",
    last_write: "마지막 쓰기: {}",
    no_write: "아직 쓰기 없음",
    pause: "기록 일시 중지",
    resume: "기록 다시 시작",
    quit: "Retrace 종료",
    secret: "비밀 정보로 보이는 내용이 메모리에 기록되었습니다",
    mass_delete: "많은 메모리가 한꺼번에 삭제되었습니다",
    hidden_text: "보이지 않는 텍스트가 메모리에 기록되었습니다",
    broken_rule: "세션이 규칙을 어겼습니다",
    rule_was_there: "규칙이 모델에 전달되어 있었습니다",
    rule_was_not_there: "규칙이 모델에 전달되지 않았습니다",
    more: "외 {}건",
    redacted: "(가려진 경로)",
    changed_one: "메모리 1개가 변경되었습니다",
    changed: "메모리 {}개가 변경되었습니다",
    unknown_writer: "알 수 없는 작성자",
    untitled: "세션",
    comma: ", ",
};

const TRADITIONAL_CHINESE: Words = Words {
    open_inbox: "開啟收件匣",
    to_review_one: "1 項變更待審閱",
    to_review: "{} 項變更待審閱",
    nothing_to_review: "沒有待審閱的變更",
    last_write: "上次寫入：{}",
    no_write: "尚無寫入",
    pause: "暫停記錄",
    resume: "繼續記錄",
    quit: "結束 Retrace",
    secret: "記憶中寫入了疑似機密的內容",
    mass_delete: "一次刪除了許多記憶",
    hidden_text: "記憶中寫入了看不見的文字",
    broken_rule: "工作階段違反了規則",
    rule_was_there: "規則當時已提供給模型",
    rule_was_not_there: "規則當時未提供給模型",
    more: "以及另外 {} 項",
    redacted: "（已遮蔽的路徑）",
    changed_one: "1 項記憶已變更",
    changed: "{} 項記憶已變更",
    unknown_writer: "寫入者不明",
    untitled: "工作階段",
    comma: "、",
};

#[cfg(test)]
mod tests {
    use super::Language;
    use chrono::{DateTime, Duration, Local};

    #[test]
    fn a_language_is_known_by_tag_and_by_locale() {
        for (tag, language) in [
            ("ja", Language::Japanese),
            ("ja_JP.UTF-8", Language::Japanese),
            ("ko-KR", Language::Korean),
            ("zh-Hant", Language::TraditionalChinese),
            ("zh_TW.UTF-8@radical", Language::TraditionalChinese),
            ("zh-Hant-HK", Language::TraditionalChinese),
            ("zh-CN", Language::English),
            ("en-GB", Language::English),
            ("C.UTF-8", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of(tag), language, "{tag}");
        }
    }

    #[test]
    fn every_language_says_numbers_and_times() {
        let at: DateTime<Local> =
            "2026-11-20T09:05:00Z".parse::<DateTime<chrono::Utc>>().expect("a time").into();
        for language in
            [Language::English, Language::Japanese, Language::Korean, Language::TraditionalChinese]
        {
            let words = language.words();
            assert!(words.to_review(12).contains("12") && words.changed(3).contains('3'));
            assert!(words.to_review(1).contains('1') && words.changed(1).contains('1'));
            assert!(words.more(4).contains('4') && !words.to_review(0).contains('0'));
            assert!(words.last_write(Some(at), at).contains(&at.format("%H:%M").to_string()));
            assert!(words.last_write(Some(at), at + Duration::days(2)).contains("2026-11-"));
            assert!(!words.last_write(None, at).contains("{}"));
        }
    }
}
