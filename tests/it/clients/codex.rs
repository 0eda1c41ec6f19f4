//! Real Codex against a scripted model: usage, writers, instructions, memory and subagents are what it sent and did.

use super::rig::{Numbers, add_store, command, program, repository, run, sessions, shown, world, writer};
use retrace_api::{commands, wire};
use retrace_tests::World;
use retrace_tests::model_api::{Dialect, ModelApi};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Sessions with turns of their own, half of them in code mode.
const SESSIONS: u64 = 6;
pub(super) const MODELS: [&str; 2] = ["gpt-5.1-codex", "gpt-6.1-terra"];
const SUMMARY: &str = "v1\n## User Profile\nWrites notes.\n";

pub(super) struct Rig {
    program: PathBuf,
    pub(super) api: ModelApi,
    pub(super) world: World,
}

/// Codex with a home and a project; `None` where it is not installed.
pub(super) fn rig() -> Option<Rig> {
    let program = program("RETRACE_CODEX", "codex")?;
    let rig = Rig { program, api: ModelApi::start(Dialect::Responses), world: world(|_| {}) };
    repository(&rig.world);
    std::fs::create_dir_all(rig.notes()).expect("folders");
    let config = format!(
        "model_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"FAKE_KEY\"\nrequires_openai_auth = false\n[analytics]\nenabled = false\n",
        rig.api.url
    );
    std::fs::write(rig.home().join("config.toml"), config).expect("a file");
    Some(rig)
}

impl Rig {
    pub(super) fn run(&self, model: &str, memories: bool, arguments: &[&str]) {
        let mut codex = command(&self.program, &self.world);
        codex.env("FAKE_KEY", "sk-none").env("CODEX_HOME", self.home());
        codex.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]);
        codex.args(["-m", model, "-c", &format!("features.memories={memories}")]);
        run(codex.args(arguments));
    }

    pub(super) fn home(&self) -> PathBuf {
        self.world.path("home/.codex")
    }

    fn notes(&self) -> PathBuf {
        self.home().join("memories_v2/extensions/ad_hoc/notes")
    }
}

/// Random turns, and the notes they leave. In code mode every call is JavaScript.
fn turns(seed: u64, notes: &Path, code: bool) -> (Vec<Vec<Value>>, Vec<String>) {
    let mut numbers = Numbers(seed);
    let mut written = Vec::new();
    let shell = |command: &str| match code {
        true => {
            let argument = json!({ "cmd": command });
            json!({"custom": "exec", "input": format!("text((await tools.exec_command({argument})).output)")})
        }
        false => json!({"call": "exec_command", "args": {"cmd": command}}),
    };
    let patch = |patch: &str| match code {
        true => {
            let patch = json!(patch);
            json!({"custom": "exec", "input": format!("text(JSON.stringify(await tools.apply_patch({patch})))")})
        }
        false => json!({"call": "exec_command", "args": {"cmd": format!("apply_patch <<'X'\n{patch}\nX")}}),
    };
    let mut turns = Vec::new();
    for turn in 0..3 + numbers.below(3) {
        let mut items = Vec::new();
        if numbers.below(2) == 0 {
            items.push(json!(format!("Step {turn}: \"é\" — \u{1f980}")));
        }
        let name = format!("{seed}-{turn}.md");
        let file = notes.join(&name);
        let file = file.display();
        match numbers.below(4) {
            0 => items.push(shell(&format!("ls; seq {}", numbers.below(40)))),
            1 => {
                written.push(name);
                items.push(shell(&format!("echo 'Note {seed} {turn}' > {file}")));
            }
            _ => {
                written.push(name);
                items.push(patch(&format!(
                    "*** Begin Patch\n*** Add File: {file}\n+Note {seed}\n+turn {turn}\n*** End Patch"
                )));
            }
        }
        if numbers.below(3) == 0 {
            items.push(shell("false"));
        }
        turns.push(items);
    }
    let name = format!("{seed}-last.md");
    let file = notes.join(&name);
    let file = file.display();
    let whole = format!("*** Begin Patch\n*** Add File: {file}\n+one\n+two\n*** End Patch");
    let changed =
        format!("*** Begin Patch\n*** Update File: {file}\n@@\n one\n-two\n+TWO {seed}\n*** End Patch");
    turns.extend([vec![patch(&whole)], vec![patch(&changed)], vec![json!("Finished.")]]);
    written.push(name);
    (turns, written)
}

#[test]
fn what_codex_records_is_what_it_sent_and_did() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    std::fs::write(rig.home().join("AGENTS.md"), "# Home\nBe brief.\n").expect("a file");
    std::fs::write(project.join("AGENTS.md"), "# Rules\nUse tabs.\n").expect("a file");
    std::fs::write(rig.home().join("memories_v2/memory_summary.md"), SUMMARY).expect("a file");
    add_store(&rig.world, &rig.home().join("memories_v2"), "memory");

    let (mut by_session, mut known) = (Vec::new(), BTreeSet::new());
    for seed in 0..SESSIONS {
        let code = seed % 2 == 1;
        let model = MODELS[usize::from(code)];
        let (script, mut written) = turns(seed, &rig.notes(), code);
        rig.api.play(script);
        rig.run(model, false, &["Look at the project"]);
        rig.world.scan();
        let new: Vec<String> = sessions(&rig.world, "codex")
            .into_iter()
            .map(|row| row.id)
            .filter(|id| known.insert(id.clone()))
            .collect();
        let [id] = &new[..] else { panic!("one session: {new:?}") };
        if seed < 2 {
            let (script, more) = turns(seed + 100, &rig.notes(), code);
            rig.api.play(script);
            rig.run(model, false, &["resume", id, "Go on"]);
            rig.world.scan();
            written.extend(more);
        }
        by_session.push((id.clone(), written));
    }
    for (id, written) in &by_session {
        for name in written {
            let path = format!("extensions/ad_hoc/notes/{name}");
            assert_eq!(writer(&rig.world, "memory", &path).as_ref(), Some(id), "{path}");
        }
    }
    // One that starts a subagent, and one with its memory.
    let note = rig.notes().join("sub.md");
    let patch = format!(
        "apply_patch <<'X'\n*** Begin Patch\n*** Add File: {}\n+sub\n*** End Patch\nX",
        note.display()
    );
    rig.api.play(vec![
        vec![json!({"call": "spawn_agent", "namespace": "multi_agent_v1", "args": {"message": "Write", "agent_type": "default"}})],
        vec![json!({"call": "exec_command", "args": {"cmd": patch}})],
        vec![json!({"call": "exec_command", "args": {"cmd": "sleep 1"}})],
    ]);
    rig.run(MODELS[0], false, &["Delegate"]);
    rig.api.play(vec![vec![json!("Read.")]]);
    rig.run(MODELS[1], true, &["What do you remember?"]);

    let rows = sessions(&rig.world, "codex");
    assert_eq!(rows.len() as u64, SESSIONS + 2);
    let short: BTreeSet<&str> = rows.iter().map(|row| row.short_id.as_str()).collect();
    assert!(short.len() == rows.len() && short.iter().all(|id| id.len() >= 8), "{short:?}");
    assert_eq!(rows.iter().map(|row| row.subagents.len()).sum::<usize>(), 1);
    let (reported, mut seen) = {
        let log = rig.api.log();
        let turns = log.answered.iter().filter(|answer| answer.is_turn);
        (
            turns.map(|answer| (answer.id.clone(), answer.usage.clone())).collect::<BTreeMap<_, _>>(),
            BTreeSet::new(),
        )
    };
    for transcript in rows.iter().flat_map(|row| std::iter::once(&row.id).chain(&row.subagents)) {
        let shown = shown(&rig.world, transcript);
        assert_eq!(shown.family, "o200k");
        for row in &shown.requests {
            let told = reported.get(&row.id).unwrap_or_else(|| panic!("{transcript}: {}", row.id));
            assert!(seen.insert(row.id.clone()), "{} twice", row.id);
            let recorded = row.recorded.as_ref().expect("usage");
            let input = recorded.input + recorded.cache_creation + recorded.cache_read;
            let figures = [input, recorded.cache_read, recorded.output];
            let asked = [
                &told["input_tokens"],
                &told["input_tokens_details"]["cached_tokens"],
                &told["output_tokens"],
            ];
            assert_eq!(figures.map(Value::from), asked.map(Clone::clone), "{transcript}: {}", row.id);
        }
    }
    let missing: Vec<&String> = reported.keys().filter(|id| !seen.contains(*id)).collect();
    // The subagent may be ended while it answers.
    assert!(missing.len() <= 1, "{missing:?}");
    let subagent = rows.iter().find_map(|row| row.subagents.first().map(|sub| (row, sub))).expect("one");
    let facts = shown(&rig.world, subagent.1).agent.expect("a subagent");
    assert_eq!((facts.agent_type.as_str(), facts.session.as_ref()), ("default", Some(&subagent.0.id)));

    let remembering =
        rows.iter().find(|row| row.title.as_deref() == Some("What do you remember?")).expect("it");
    let request = wire::CompositionReq { transcript: remembering.id.clone(), request: 0 };
    let composition = commands::context_composition(&rig.world.app, request).expect("a composition");
    let files: BTreeMap<&str, u64> =
        composition.files.iter().map(|file| (file.name.as_str(), file.tokens)).collect();
    for path in [
        rig.home().join("memories_v2/memory_summary.md"),
        rig.home().join("AGENTS.md"),
        project.join("AGENTS.md"),
    ] {
        let path = path.to_string_lossy().into_owned();
        assert!(files.get(path.as_str()).is_some_and(|tokens| *tokens > 2), "{path}: {files:?}");
    }
    let classes = &composition.classes;
    assert!(classes.memory > 0 && classes.instructions > 0, "{classes:?}");
    // The base instructions, which make most of it, stand in the file twice and are counted once: the request is as large as the server counted its bytes.
    assert!(classes.over_counted == 0 && classes.system > 0, "{classes:?}");
}
