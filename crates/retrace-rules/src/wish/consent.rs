//! What an answer to a question says of what was asked: consent is what is known to be consent, and nothing else.

use super::acts::names_act;
use super::{act_word, asks_for_act, clauses, only_goes_on, refuses_act};
use crate::propose::find_word;
use crate::rule::Command;
use serde_json::Value;

/// What an answer to a question says of what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// It agrees, or asks for the act.
    Given,
    /// It is not known to agree or to refuse, or it agrees on a condition.
    Unclear,
    /// It asks back, or asks for something else.
    Elsewhere,
    /// It is a plain refusal.
    Refused,
}

/// Words of a list, `|` between them.
struct Words(&'static str);

impl Words {
    fn all(&self) -> impl Iterator<Item = &'static str> {
        self.0.split('|')
    }

    fn have(&self, word: &str) -> bool {
        self.all().any(|one| one == word)
    }
}

/// Beginnings of an answer that refuses.
const NO: Words = Words(
    "no|nope|nah|don't|don’t|dont|do not|not yet|not now|wait|stop|hold on|hold off|hold it|hang on|\
     never|cancel|later|please don't|please wait|please stop|abort|reject|rejected|denied|deny|declined|\
     negative|forget it|better not|rather not|i'd rather not|i’d rather not|i would rather not|\
     maybe later|let me think|let us wait|let's wait|let’s wait|lets wait|let's not|let’s not|let us not|\
     under no circumstances|by no means|i said no|absolutely not|certainly not|definitely not|\
     of course not|please no|hell no|hard no|thanks but no|i don't think so|i don’t think so|\
     i don't want|i don’t want|not so fast|not until|nevermind|nvm|nein|nee|nej|nei|noch nicht|\
     jetzt nicht|lieber nicht|besser nicht|bitte nicht|auf keinen fall|warte|lass es|lass das|non|\
     pas encore|pas maintenant|surtout pas|attends|attendez|ne|todavía no|aún no|ahora no|mejor no|\
     espera|não|ainda não|agora não|melhor não|espere|нет|не|ні|nie|hayır|tidak|jangan|không|nem|όχι|\
     नहीं|لا|לא|いいえ|いや|まだ|待って|ちょっと待|やめ|だめ|ダメ|駄目|아니|아직|잠깐|안 돼|안돼|하지 마|\
     하지마|나중에|취소|不要|不用|不行|不可以|不能|不是|不必|别|先不|等一下|等等|取消|算了|否|暂时不|稍后",
);

/// Whole answers that refuse.
const NO_ALONE: Words = Words(
    "n|hold|skip|skip it|skip that|skip this|leave it|leave it as is|leave it as it is|leave it alone|\
     leave it for now|leave it out|pass|halt|stopp|abbrechen|später|plus tard|más tarde|luego|depois|不|\
     안|i will do it|i'll do it|i’ll do it|i will do it myself|i'll do it myself|i’ll do it myself",
);

/// Signs that refuse where an answer begins with them.
const NO_SIGNS: &[char] = &['👎', '❌', '🚫', '⛔', '✋', '🛑', '✖', '✗'];

/// Signs that agree where an answer begins with them.
const YES_SIGNS: &[char] = &['👍', '✅', '👌', '🚀', '🆗', '💯', '🟢', '✔', '✓', '🙌', '🎉'];

/// Beginnings of an answer that agrees, whatever is said with them.
const YES: Words = Words(
    "y|yes|yep|yeah|yup|yea|aye|sure|of course|absolutely|definitely|certainly|by all means|go ahead|\
     go for it|do it|do so|do that|please do|make it so|approve|approved|i approve|confirmed|i confirm|\
     agreed|i agree|accept|accepted|granted|permission granted|lgtm|looks good|looks great|sounds good|\
     sounds great|all good|good to go|that works|works for me|fine by me|fine with me|that's fine|\
     that’s fine|that is fine|ok with me|okay with me|let's do it|let’s do it|let's go|let’s go|\
     lets do it|lets go|nothing against|no objection|why not|feel free|affirmative|user has approved|\
     the user approved|plan approved|i'm fine with|i am fine with|i'm ok with|send it|ship it|\
     you have my|green light|ja|jawohl|klar|natürlich|gerne|gern|einverstanden|passt|oui|bien sûr|\
     d'accord|d’accord|vas-y|allez-y|volontiers|sí|si|claro|dale|adelante|hazlo|por supuesto|de acuerdo|\
     sim|pode|com certeza|manda ver|sì|certo|va bene|procedi|fallo|jazeker|prima|doe maar|graag|tak|\
     jasne|oczywiście|ano|japp|visst|kyllä|evet|tamam|olur|igen|да|давай|давайте|хорошо|конечно|ладно|\
     ага|согласен|так|звісно|ναι|iya|silakan|vâng|हाँ|हां|نعم|כן|はい|ええ|うん|お願い|おねがい|いいよ|\
     いいです|どうぞ|了解|もちろん|よろしく|そうして|やって|承認|네|예|응|그래|좋아|좋습니다|진행|ㅇㅇ|\
     넵|오케이|부탁|물론|好|是|可以|行|对|對|嗯|同意|确认|没问题|沒問題|继续|繼續|当然|當然|批准",
);

/// Words that agree where nothing else is asked with them.
const WEAK: Words = Words(
    "k|ok|okay|okey|kk|okie|fine|good|great|cool|nice|perfect|alright|all right|right|correct|exactly|\
     indeed|awesome|excellent|ya|yo|jo|jep|gut|super|bon|bien|vale|bueno|bom|beleza|continue|proceed|\
     go on|carry on|keep going|resume|confirm|go|please|thanks|thank you|thx|ty|you may|you can|then|now|\
     and|so|that|it|is|are|with me|by me|for me|bitte|danke|mach|das|weiter|merci|gracias|por favor|\
     favor|obrigado|man|mate|my|friend|well|very|thing|1|+1|ок|можно|notes|オッケー|オーケー|続けて|\
     ください|계속",
);

/// What goes on behind a refusing beginning so that it refuses nothing, or not all.
const BUT_YES: Words = Words(
    "no problem|no objection|no worries|no issue|no need|don't worry|don’t worry|nothing wrong|\
     not a problem|go ahead|then |yes|proceed|do it|ok|sure|but |after |instead|不错|не вопрос|не против",
);

/// Words with which consent waits for something, or is taken back in part.
const CONDITIONS: Words = Words(
    "but|first|after|once|when|if|until|till|unless|before|provided|assuming|except|only|later|tomorrow|\
     not|don't|don’t|dont|never|no|wait|hold|aber|erst|zuerst|vorher|nachdem|sobald|wenn|falls|nicht|\
     mais|d'abord|après|quand|lorsque|pas|pero|primero|después|cuando|cuándo|antes|mas|primeiro|depois|\
     quando|se|не|но|сначала|после|когда|если",
);

/// The same where no space stands between words.
const CONDITIONS_WITHIN: Words = Words(
    "但|先|之后|以后|如果|不|等|でも|けど|先に|まず|てから|たら|ないで|하지만|지만|먼저|나중|다음에|후에|\
     말고",
);

/// What holds such a word and is no condition.
const NO_CONDITIONS: Words = Words(
    "why not|no problem|no worries|no objections|no objection|after that|when ready|when you are ready|\
     when you're ready|whenever you|when done|when you're done|when you are done|if you want|if you like|\
     if you wish|if necessary|if needed",
);

/// What an answer says of the act of a command. The answer of a tool holds each question with what the person chose,
/// `"Merge it?"="No"`, or is JSON with what they chose.
pub(crate) fn consent(question: &str, answer: &str, command: &Command) -> Consent {
    let told = serde_json::from_str::<Value>(answer).ok().filter(|told| told.is_object() || told.is_array());
    let chosen: Vec<&str> = match &told {
        Some(told) => leaves(told),
        None => chosen_of(answer, act_word(command)),
    };
    let answers = if chosen.is_empty() { vec![answer] } else { chosen };
    let mut all: Vec<Consent> =
        answers.into_iter().map(|answer| consent_of(question, answer, command)).collect();
    all.dedup();
    // Of several that differ nobody knows which was about what.
    match all.as_slice() {
        [one] => *one,
        _ => Consent::Unclear,
    }
}

/// True for an answer that plainly refuses.
pub(crate) fn is_refusal(text: &str, command: &Command) -> bool {
    consent("", text, command) == Consent::Refused
}

/// What a person chose, of `"Merge it?"="No"`: of the questions that name the act where one does.
fn chosen_of<'t>(answer: &'t str, word: &str) -> Vec<&'t str> {
    let parts: Vec<&str> = answer.split("\"=\"").collect();
    let pairs = parts.windows(2).map(|pair| {
        let question = pair[0].rsplit('"').next().unwrap_or_default();
        (names_act(question, word), pair[1].split('"').next().unwrap_or_default())
    });
    let pairs: Vec<(bool, &str)> = pairs.collect();
    let is_named = pairs.iter().any(|(names, _)| *names);
    pairs.into_iter().filter(|(names, _)| *names || !is_named).map(|(_, chosen)| chosen).collect()
}

/// The texts of a JSON value.
fn leaves(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

fn consent_of(question: &str, answer: &str, command: &Command) -> Consent {
    let lower = answer.trim().trim_start_matches(['"', '\'', '*', '`', '¡', '¿']).to_lowercase();
    let whole = lower.trim_matches(|letter: char| !letter.is_alphanumeric());
    if let Some(sign) = lower.chars().next().filter(|sign| !sign.is_alphanumeric()) {
        if NO_SIGNS.contains(&sign) {
            return Consent::Refused;
        }
        if YES_SIGNS.contains(&sign) {
            return if is_conditional(&lower, command) { Consent::Unclear } else { Consent::Given };
        }
    }
    if whole.is_empty() {
        return if lower.contains(['?', '？']) { Consent::Elsewhere } else { Consent::Unclear };
    }
    if NO_ALONE.have(whole) {
        return Consent::Refused;
    }
    if begins_with_one(&lower, &NO).is_some() {
        return if BUT_YES.all().any(|yes| find_word(&lower, yes).is_some()) {
            Consent::Unclear
        } else {
            Consent::Refused
        };
    }
    if let Some(chosen) = chosen_by_mark(question, whole) {
        let asks = asks_for_act(chosen, command);
        return if asks { Consent::Given } else { Consent::Elsewhere };
    }
    agreed(answer, &lower, command)
}

/// What an answer says that refuses nothing.
fn agreed(answer: &str, lower: &str, command: &Command) -> Consent {
    let is_agreement = begins_with_one(lower, &YES).is_some()
        || is_weak_alone(lower)
        || only_goes_on(lower)
        || is_fine(lower);
    let begins_weakly = begins_with_one(lower, &WEAK).is_some();
    if is_agreement || asks_for_act(answer, command) {
        let asks_back = begins_a_question(lower) && !asks_for_act(answer, command);
        return if asks_back || is_conditional(lower, command) { Consent::Unclear } else { Consent::Given };
    }
    let asks_back = lower.contains(['?', '？']) || clauses::begins_with_question(lower);
    if begins_weakly && !asks_back {
        return Consent::Unclear;
    }
    if asks_back || clauses::begins_with_order(answer) { Consent::Elsewhere } else { Consent::Unclear }
}

/// "The plan is fine."
fn is_fine(lower: &str) -> bool {
    let end = lower.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    [" is fine", " are fine", " is ok", " looks good", " look good"].iter().any(|fine| end.ends_with(fine))
}

/// What stands behind one of these words where a text begins with it.
fn begins_with_one<'t>(lower: &'t str, words: &Words) -> Option<&'t str> {
    let rests = words.all().filter_map(|word| {
        let rest = lower.strip_prefix(word)?;
        // Where no space stands between words, another one may follow at once.
        let has_spaces = word.chars().all(|letter| letter < '\u{3000}');
        (!has_spaces || !rest.starts_with(char::is_alphanumeric)).then_some(rest)
    });
    rests.min_by_key(|rest| rest.len())
}

/// True for a text of words that agree, and no others.
fn is_weak_alone(lower: &str) -> bool {
    let mut rest = lower;
    loop {
        rest = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '+');
        if rest.is_empty() {
            return !lower.trim().ends_with(['?', '？']);
        }
        let Some(next) = begins_with_one(rest, &WEAK).or_else(|| begins_with_one(rest, &YES)) else {
            return false;
        };
        rest = next;
    }
}

/// The sentences of a text in lower case.
fn sentences(lower: &str) -> impl Iterator<Item = &str> {
    lower.split_inclusive(['.', '!', '?', ';', '\n', '。', '！', '？']).map(str::trim)
}

/// True if the first sentence of an answer is a question, and no "why not?".
fn begins_a_question(lower: &str) -> bool {
    let first = sentences(lower).next().unwrap_or_default();
    first.ends_with(['?', '？']) && !first.contains("why not")
}

/// True if consent waits for something, or if a part of it is taken back: "yes, but first run the tests".
fn is_conditional(lower: &str, command: &Command) -> bool {
    let plain = NO_CONDITIONS.all().fold(lower.to_owned(), |text, none| text.replace(none, ""));
    let word_of = |word: &str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        CONDITIONS.have(word)
    };
    let within = |text: &str| CONDITIONS_WITHIN.all().any(|condition| text.contains(condition));
    let mut all = sentences(&plain);
    let first = all.next().unwrap_or_default();
    first.split_whitespace().any(word_of)
        || within(first)
        || all.any(|later| later.split_whitespace().next().is_some_and(word_of))
        || refuses_act(lower, command)
}

/// The line of a question that a number or a letter chooses: "1. Push it".
fn chosen_by_mark<'q>(question: &'q str, mark: &str) -> Option<&'q str> {
    let is_mark = mark.bytes().all(|byte| byte.is_ascii_digit()) || mark.len() == 1 && mark != "y";
    let lines =
        question.lines().map(|line| line.trim_start_matches(|letter: char| !letter.is_alphanumeric()));
    lines.filter(|_| is_mark).find_map(|line| {
        let (begin, rest) = line.split_at_checked(mark.len())?;
        let rest = rest.trim_start_matches('*').strip_prefix(['.', ')', ':'])?;
        (begin.to_lowercase() == mark).then_some(rest.trim_start_matches([' ', '*']))
    })
}
