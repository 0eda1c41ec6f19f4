use super::*;

#[test]
fn a_change_of_a_file_is_asked_for_by_its_whole_name() {
    for (text, path) in [
        ("edit .env", "/w/.env"),
        ("Please add FOO=1 to `.env`.", "/w/.env"),
        ("can you fix .env?", "/w/.env"),
        ("Could you please update src/generated/a.ts so that it compiles?", "/w/src/generated/a.ts"),
        ("don't touch main.go, just fix .env", "/w/.env"),
        ("do not touch main.go and change .env", "/w/.env"),
        (".env: add FOO", "/w/.env"),
        ("FOO is missing in .env, add it", "/w/.env"),
        (".env should be updated", "/w/.env"),
        ("Edit migrations/1.sql by hand", "/w/db/migrations/1.sql"),
        ("fix the file `up`", "/w/migrations/up"),
        ("update @src/generated/a.ts", "/w/src/generated/a.ts"),
        ("No, edit .env", "/w/.env"),
        ("The test does not pass, fix .env", "/w/.env"),
        ("try editing .env", "/w/.env"),
        ("kannst du .env ändern?", "/w/.env"),
        ("don't forget to update .env", "/w/.env"),
        ("add .env to .gitignore", "/w/.gitignore"),
        ("remove FOO from .env", "/w/.env"),
        ("The .env file lacks FOO=1. Please add it.", "/w/.env"),
        ("fix what is broken in .env", "/w/.env"),
    ] {
        assert!(asks_to_change(text, path), "{text}");
    }
    for (text, path) in [
        ("add the flag, but do not edit .env", "/w/.env"),
        ("don't touch .env", "/w/.env"),
        ("never touch .env", "/w/.env"),
        ("leave .env alone", "/w/.env"),
        ("keep .env unchanged", "/w/.env"),
        ("fix it without changing .env", "/w/.env"),
        ("what is in .env?", "/w/.env"),
        ("why did you edit .env?", "/w/.env"),
        ("should .env be changed?", "/w/.env"),
        ("fix .env.example", "/w/.env"),
        ("please work", "/w/src/generated/a"),
        ("add a test", "/w/src/generated/a"),
        ("fix domain.go", "/w/main.go"),
        ("look at src/other/index.ts", "/w/src/generated/index.ts"),
        ("fix src/other/index.ts", "/w/src/generated/index.ts"),
        ("run the tests", "/w/src/generated/run"),
        ("clean up the code", "/w/db/migrations/up"),
        ("do not edit any of the files that the tool writes, such as .env", "/w/.env"),
        ("never edit, move or delete .env", "/w/.env"),
        ("do not, under any circumstances, edit .env", "/w/.env"),
        ("fix the bug, .env must not be changed", "/w/.env"),
        ("edit all of them, but not .env", "/w/.env"),
        ("fix main.go and check .env", "/w/.env"),
        ("The tool writes .env at its start.", "/w/.env"),
        ("ändere .env nicht", "/w/.env"),
        ("make sure .env isn't changed", "/w/.env"),
        ("Can you tell me how to change .env?", "/w/.env"),
        ("fix the parser of .env", "/w/.env"),
        ("Don't touch .env. The test fails. Fix it.", "/w/.env"),
        ("Leave .env alone. Fix it in main.go.", "/w/.env"),
        ("add .env to .gitignore", "/w/.env"),
    ] {
        assert!(!asks_to_change(text, path), "{text}");
    }
}

#[test]
fn a_command_is_asked_for_and_not_spoken_of() {
    let of = |text: &str| Command::typed(text).expect("a command");
    for (text, command) in [
        ("Use npm this time.", "npm"),
        ("Install it with npm", "npm"),
        ("run `npm ci`", "npm"),
        ("npm ci please", "npm"),
        ("Merge the pr.", "gh pr merge"),
        ("commit and push", "git push"),
        ("can you push it?", "git push"),
        ("after that, push.", "git push"),
        ("just run plain `git status`", "git status"),
    ] {
        assert!(asked_for(text, &of(command)), "{text}");
    }
    for (text, command) in [
        ("why is npm slow?", "npm"),
        ("migrate from npm to pnpm", "npm"),
        ("fix the push notification handler", "git push"),
        ("Do not use npm.", "npm"),
        ("npm is slow here", "npm"),
        ("we push at night", "git push"),
        ("tell me about the merge of the pr", "gh pr merge"),
    ] {
        assert!(!asked_for(text, &of(command)), "{text}");
    }
}

#[test]
fn an_act_is_asked_for_in_other_words() {
    let of = |text: &str| Command::typed(text).expect("a command");
    for (text, command) in [
        ("ok lets get that docs update done in a separate branch, and create a pr for it.", "git push"),
        ("Open a pull request.", "git push"),
        ("can you put up a PR?", "git push"),
        ("ship it", "git push"),
        ("Looks good, land this.", "git push"),
        ("get this on main", "git push main"),
        ("has the patch landed? if not can you merge it", "git push"),
        ("do a push", "git push"),
        ("bring it in", "merge"),
        ("roll it out", "* deploy"),
        ("Get rid of the branch.", "* delete"),
        ("Cut a release.", "npm publish"),
    ] {
        assert!(asked_for(text, &of(command)), "{text}");
    }
    for (text, command) in [
        ("why did you open a PR?", "git push"),
        ("don't create a PR yet", "git push"),
        ("we ship it on Fridays", "git push"),
        ("look at the PR", "git push"),
        ("looks like merge conflicts to main, fix that first", "git push"),
        ("update from main", "git push main"),
        ("ok can we get back to main?", "git push main"),
        ("start with the PR feedback", "git push"),
        ("make sure the PR passes", "git push"),
        ("have a look at some of the open PRs", "git push"),
        ("Open the PR and tell me what is new.", "git push"),
        ("create a PR template", "git push"),
        ("公開鍵を追加して", "npm publish"),
        ("publish to npm failed", "npm"),
        ("git push failed", "git push"),
        ("push failed in CI", "git push"),
        ("the fix is pushed, update from the parent", "git push"),
    ] {
        assert!(!asked_for(text, &of(command)), "{text}");
    }
}

#[test]
fn an_act_is_asked_for_in_other_languages() {
    let of = |text: &str| Command::typed(text).expect("a command");
    for (text, command) in [
        ("Bitte pushen.", "git push"),
        ("Pousse la branche.", "git push"),
        ("corrige les tests puis fais un push", "git push"),
        ("committe et pousse", "git commit"),
        ("Sube los cambios.", "git push"),
        ("¿puedes hacer push?", "git push"),
        ("haz commit y push", "git commit"),
        ("Faça o push.", "git push"),
        ("pode instalar as dependências?", "npm install"),
        ("supprime le dossier", "* delete"),
        ("despliega a producción", "* deploy"),
        ("publica el paquete", "npm publish"),
        ("プッシュしてください", "git push"),
        ("テストを直してから、コミットしてプッシュして", "git push"),
        ("PRを作ってください。", "git push"),
        ("本番にデプロイをお願いします", "* deploy"),
        ("커밋하고 푸시해줘", "git push"),
        ("배포해 주세요", "* deploy"),
        ("提交并推送", "git push"),
        ("请把分支推送到远程。", "git push"),
        ("安装依赖", "npm install"),
        ("可以合并吗？请合并", "* merge"),
    ] {
        assert!(asked_for(text, &of(command)), "{text}");
    }
    for (text, command) in [
        ("Noch nicht pushen.", "git push"),
        ("ne pousse pas", "git push"),
        ("pousse pas encore", "git push"),
        ("pourquoi tu pousses ?", "git push"),
        ("no hagas push", "git push"),
        ("não faça o push", "git push"),
        ("corrige sin subir nada", "git push"),
        ("プッシュしないで", "git push"),
        ("プッシュしましたか？", "git push"),
        ("プッシュに失敗しました", "git push"),
        ("푸시하지 마세요", "git push"),
        ("왜 푸시했어?", "git push"),
        ("不要推送", "git push"),
        ("先别提交", "git commit"),
        ("推送失败", "git push"),
        ("我已经推送了", "git push"),
        ("为什么要推送？", "git push"),
    ] {
        assert!(!asked_for(text, &of(command)), "{text}");
    }
}

#[test]
fn a_text_that_only_goes_on_is_known() {
    for (text, expected) in [
        ("continue", true),
        ("Yes.", true),
        ("weiter!", true),
        ("继续", true),
        ("continue with the docs", false),
    ] {
        assert_eq!(only_goes_on(text), expected, "{text}");
    }
    assert!(refuses_act("please don't push", &Command::typed("git push").expect("a command")));
    assert!(!refuses_act("push", &Command::typed("git push").expect("a command")));
}

/// What an answer says to "Shall I push to origin now?".
fn said_to_push(answer: &str) -> Consent {
    consent("Fixed. Shall I push to origin now?", answer, &Command::typed("git push").expect("a command"))
}

#[test]
fn a_plain_refusal_is_no_consent() {
    let chosen =
        |answer: &str| format!("User has answered your questions: \"Shall I?\"=\"{answer}\". You can go on.");
    for text in [
        "No",
        "no, wait",
        "Don't.",
        "not yet",
        "stop",
        "Nein.",
        "Espera un momento",
        "ainda não",
        "まだです",
        "不要推送",
        "아직이요",
        "n",
        "N",
        "no!!",
        "abort",
        "reject",
        "denied",
        "negative",
        "skip it",
        "leave it",
        "forget it",
        "better not",
        "rather not",
        "I would rather not",
        "maybe later",
        "let me think",
        "hold",
        "let us wait",
        "👎",
        "нет",
        "under no circumstances",
        "I said no",
        "не надо",
        "Nope, hold it",
        "please wait",
        "wait a second",
        "❌",
        "Absolutely not.",
        "of course not",
        &chosen("No"),
        "{\"answers\":{\"q\":{\"answers\":[\"No\"]}}}",
        &chosen("Not yet, please"),
    ] {
        assert_eq!(said_to_push(text), Consent::Refused, "{text}");
    }
    for text in ["no problem, go ahead", "wait for CI, then merge", "don't worry, do it"] {
        assert_eq!(said_to_push(text), Consent::Unclear, "{text}");
    }
    // Of several answers, the one to the question that names the act counts.
    let of_two = "\"Push it?\"=\"Yes\", \"Squash?\"=\"No\"";
    assert_eq!(said_to_push(of_two), Consent::Given);
    assert_eq!(said_to_push("\"Merge?\"=\"Yes\", \"Squash?\"=\"No\""), Consent::Unclear);
}

#[test]
fn what_agrees_is_consent() {
    for text in [
        "yes",
        "y",
        "Yes please.",
        "ok",
        "sure",
        "go ahead",
        "do it",
        "yep",
        "👍",
        "Yes, push it",
        "lgtm",
        "ja",
        "oui",
        "sí",
        "はい",
        "sim",
        "да",
        "好的",
        "네",
        "absolutely",
        "please do",
        "Sounds good!",
        "y.",
        "Yes!",
        "ok go",
        "proceed",
        "fine",
        "Of course",
        "k",
        "yeah go for it",
        "Ja, mach das",
        "vas-y",
        "dale",
        "1",
        "approved",
        "confirmed",
        "ok, go on",
        "nothing against it",
        "notes are fine",
        "push it",
        "Push to main (Recommended)",
        "Create a PR",
        "Looks good to me",
        "Sure, why not?",
        "why not?",
        "Yes. What else is left?",
        "可以",
        "継続してはい、お願いします",
        "お願いします",
        "좋아요",
        "没问题",
        "давай",
        "tamam",
        "ok thanks",
        "yes, when ready",
        "please push",
        "User has approved your plan. You can now start coding.",
        "great!",
        "ok push",
        "va bene",
        "tak",
        "그래",
    ] {
        let text = text.trim_start_matches("継続して");
        assert_eq!(said_to_push(text), Consent::Given, "{text}");
    }
}

#[test]
fn a_question_back_or_another_order_is_no_consent() {
    for text in [
        "why?",
        "?",
        "What is left?",
        "Which branch?",
        "is CI green?",
        "what would happen?",
        "how",
        "Show me the diff first",
        "First run the tests",
        "Rename foo to bar",
        "run the tests",
        "show the diff",
        "fix the typo first",
        "为什么？",
        "warum",
        "hm, what would happen to the branch?",
        "Commit only",
        "ok, which branch?",
    ] {
        assert_eq!(said_to_push(text), Consent::Elsewhere, "{text}");
    }
    for text in [
        "The tests are red",
        "hmm",
        "Blue",
        "I need to check with Bob",
        "2",
        "",
        "…",
        "ok, rename foo to bar",
    ] {
        assert_eq!(said_to_push(text), Consent::Unclear, "{text}");
    }
    // Whether what consent waits for came about, the words do not tell.
    for text in [
        "yes, but first run the tests",
        "yes, after CI is green",
        "Yes. But not to main.",
        "ok if CI is green",
        "sure, later",
        "go ahead once the tests pass",
        "ja, aber erst die Tests",
        "好，但先跑测试",
        "push when CI is green",
        "yes, but don't push the tag",
    ] {
        assert_eq!(said_to_push(text), Consent::Unclear, "{text}");
    }
    let push = Command::typed("git push").expect("a command");
    let question = "What next?\n1. Push to origin\n2. **Fix the docs**";
    assert_eq!(consent(question, "1", &push), Consent::Given);
    assert_eq!(consent(question, "2", &push), Consent::Elsewhere);
}

#[test]
fn an_act_that_is_spoken_of_is_not_asked_for() {
    let of = |text: &str| Command::typed(text).expect("a command");
    for (text, command) in [
        ("Ask me before you push", "git push"),
        ("Let me know before you push", "git push"),
        ("Tell me when it is ready to push", "git push"),
        ("I will push it myself", "git push"),
        ("commit only, I'll push", "git push"),
        ("The team will push later", "git push"),
        ("Nobody may push", "git push"),
        ("After you push you always forget the tag; just fix the parser", "git push"),
        ("CI fails on push", "git push"),
        ("Fix the git push hook", "git push"),
        ("Implement push notifications", "git push"),
        ("push notifications are broken, fix them", "git push"),
        ("Document how to push", "git push"),
        ("Write a test for push", "git push"),
        ("push back on this design", "git push"),
        ("Fix stack push and pop", "git push"),
        ("Create a stack with push, pop and peek", "git push"),
        ("rename `push` to `append`", "git push"),
        ("Add a \"Push\" button", "git push"),
        ("make the button push down", "git push"),
        ("не пушь", "git push"),
        ("Replace npm with pnpm", "npm"),
        ("I will run npm ci", "npm"),
        ("Let me run npm myself", "npm"),
        ("Remove npm from the docs", "npm"),
        ("Fix the CI job that runs npm", "npm"),
        ("Convert npm scripts to make", "npm"),
        ("Add npm to the .gitignore", "npm"),
    ] {
        assert!(!asked_for(text, &of(command)), "{text}");
    }
    for (text, command) in [
        ("/push", "git push"),
        ("Send it upstream", "git push"),
        ("publish the branch", "git push"),
        ("запушь", "git push"),
        ("push it", "git push"),
        ("please push", "git push"),
        ("then push", "git push"),
        ("Fix it, commit and push to origin.", "git push"),
        ("now push everything", "git push"),
        ("I want you to push the branch", "git push"),
        ("Fix the parser and push.", "git push"),
        ("push to main when done", "git push"),
        ("Fix it. When done push it up.", "git push"),
        ("feel free to push", "git push"),
        ("you can push", "git push"),
        ("you may push when ready", "git push"),
        ("go ahead and push", "git push"),
        ("Ok to push", "git push"),
        ("Fix the hook and git push", "git push"),
        ("push it back to origin", "git push"),
        ("run npm ci", "npm"),
        ("fix it and run npm ci", "npm"),
        ("Add the package with npm", "npm"),
        ("go with npm", "npm"),
        ("npm i please", "npm"),
        ("Use npm instead of pnpm", "npm"),
        ("`npm ci`", "npm"),
    ] {
        assert!(asked_for(text, &of(command)), "{text}");
    }
}

#[test]
fn a_file_that_is_spoken_of_is_not_to_be_changed() {
    for text in [
        "Ask before you change .env",
        "Ask me before editing .env",
        "I will edit .env myself",
        "Fix the loader that reads .env",
        "Make the app load .env",
        "Add docs on .env",
        "Fix the bug. I already updated .env",
    ] {
        assert!(!asks_to_change(text, "/w/.env"), "{text}");
    }
    for text in [
        "edit .env and restart",
        "make a new .env",
        "make the change in .env",
        "fix the line that is wrong in .env",
        "you can edit .env",
        "The port in .env must change",
    ] {
        assert!(asks_to_change(text, "/w/.env"), "{text}");
    }
}
