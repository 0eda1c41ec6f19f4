//! Random layouts of instruction files, each with words that are found again in what a client sends.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Numbers that follow from a seed.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).expect("below the limit")
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

pub(crate) enum Content {
    Text(String),
    Link(String),
}

/// Files below a home, the directory a session starts in, and what a client is told besides.
pub(crate) struct Layout {
    pub(crate) files: BTreeMap<String, Content>,
    pub(crate) start: String,
    pub(crate) env: Vec<(&'static str, String)>,
    /// Settings of Codex, as TOML; the last part is tables.
    pub(crate) codex: String,
    /// Settings of Gemini CLI.
    pub(crate) gemini: Value,
    /// Settings of opencode.
    pub(crate) opencode: Value,
    marks: usize,
}

/// Directories of every layout; the first is the home.
const DIRECTORIES: [&str; 7] = ["", "w", "w/r", "w/r/sub", "w/r/sub/deep", "w/r/other", "w/lib"];

impl Layout {
    /// `unique` is a word that no other file of the machine has in its name: where there is no repository, opencode searches the
    /// whole disk for what a pattern names.
    pub(crate) fn new(client: &str, seed: u64, unique: &str) -> Self {
        let mut numbers = Numbers::new(seed);
        let start = numbers.pick(&["w/r", "w/r", "w/r/sub", "w/r/sub", "w/r/sub/deep", "w"]).to_owned();
        let mut layout = Self {
            files: BTreeMap::new(),
            start,
            env: Vec::new(),
            codex: String::new(),
            gemini: json!({}),
            opencode: json!({}),
            marks: 0,
        };
        match numbers.below(8) {
            0 => {}
            1 => layout.repository("w"),
            2 => layout.text("w/r/.git", "gitdir: /nowhere\n".to_owned()),
            _ => layout.repository("w/r"),
        }
        match client {
            "claude-code" => layout.claude(&mut numbers),
            "codex" => layout.codex(&mut numbers),
            "gemini" => layout.gemini(&mut numbers),
            _ => layout.opencode(&mut numbers, unique),
        }
        layout
    }

    fn repository(&mut self, at: &str) {
        self.text(&format!("{at}/.git/HEAD"), "ref: refs/heads/main\n".to_owned());
        self.text(&format!("{at}/.git/config"), "[core]\n\trepositoryformatversion = 0\n".to_owned());
        for folder in ["objects", "refs"] {
            self.text(&format!("{at}/.git/{folder}/keep"), String::new());
        }
    }

    fn text(&mut self, path: &str, text: String) {
        self.files.entry(path.to_owned()).or_insert(Content::Text(text));
    }

    fn link(&mut self, path: &str, to: &str) {
        self.files.entry(path.to_owned()).or_insert(Content::Link(to.to_owned()));
    }

    fn mark(&mut self) -> String {
        self.marks += 1;
        format!("MARK{:03}X", self.marks)
    }

    /// A file that says what it is, or one of the odd ones.
    fn file(&mut self, numbers: &mut Numbers, path: &str, more: String) {
        let mark = self.mark();
        let text = match numbers.below(16) {
            0 => String::new(),
            1 => " \n\t\n".to_owned(),
            2 => format!("\u{feff}{mark} bom\r\nsecond line\r\n{more}"),
            3 => format!("\n\n  {mark}\n---\na: b\n---\n{more}\n\n"),
            _ => format!("# {mark}\nRules of {path}.\n{more}\n"),
        };
        if numbers.one_in(12) {
            // What a link leads to, in the same directory or elsewhere.
            let name = format!("target{}.md", self.marks);
            let (place, up) = match numbers.below(3) {
                0 => (join(parent(path), &name), name.clone()),
                1 => (format!("w/lib/{name}"), format!("{}w/lib/{name}", "../".repeat(depth(path)))),
                _ => (format!("w/r/{name}"), format!("{}w/r/{name}", "../".repeat(depth(path)))),
            };
            self.text(&place, text);
            self.files.entry(path.to_owned()).or_insert(Content::Link(up));
        } else if numbers.one_in(40) {
            self.files.entry(path.to_owned()).or_insert(Content::Link("nowhere".to_owned()));
        } else {
            self.text(path, text);
        }
    }

    /// Lines with imports, whose files are made; one imports another now and then.
    fn imports(&mut self, numbers: &mut Numbers, from: &str, forms: &[&str]) -> String {
        let mut text = String::new();
        for _ in 0..numbers.below(4) {
            let name = format!("i{}.{}", self.marks + 1, numbers.pick(&["md", "md", "md", "txt", "png"]));
            let target = match numbers.below(8) {
                0 => format!("../{name}"),
                1 => format!("~/{name}"),
                2 => format!("gone/{name}"),
                3 => format!("docs/{name}"),
                4 => "CLAUDE.md".to_owned(),
                _ => format!("./{name}"),
            };
            let place = match target.strip_prefix("~/") {
                Some(rest) => rest.to_owned(),
                None => lexical(&join(parent(from), &target)),
            };
            text.push_str(&numbers.pick(forms).replace("IT", &target));
            text.push('\n');
            if target.starts_with("gone") || place.is_empty() || self.files.contains_key(&place) {
                continue;
            }
            let mark = self.mark();
            let more = if self.marks < 60 && numbers.one_in(2) {
                self.imports(numbers, &place, forms)
            } else {
                String::new()
            };
            self.text(&place, format!("{mark} imported\n{more}"));
        }
        text
    }

    fn claude(&mut self, numbers: &mut Numbers) {
        let forms: Vec<String> = CLAUDE_FORMS.iter().map(|form| (*form).to_owned()).collect();
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let few = numbers.one_in(2);
        for directory in DIRECTORIES {
            for (name, chance) in [
                ("CLAUDE.md", if few { 8 } else { 3 }),
                (".claude/CLAUDE.md", if few { 12 } else { 6 }),
                ("CLAUDE.local.md", 8),
                ("AGENTS.md", 2),
                (".claude/AGENTS.md", 6),
                (".claude/rules/a.md", 6),
                (".claude/rules/b/c.md", 8),
            ] {
                if !numbers.one_in(chance) {
                    continue;
                }
                let path = join(directory, name);
                let mut more = self.imports(numbers, &path, &forms);
                if numbers.one_in(5) {
                    let mark = self.mark();
                    more.push_str(&format!("\n<!-- {mark} hidden -->\n\nafter\n"));
                }
                self.file(numbers, &path, more);
                if name.contains("rules")
                    && numbers.one_in(2)
                    && let Some(Content::Text(text)) = self.files.get_mut(&path)
                {
                    let front = numbers.pick(&CLAUDE_FRONT);
                    let close = numbers.pick(&["---\n", "---\n", "---\n", "---", "--- "]);
                    *text = format!("---\n{front}\n{close}{text}");
                    if numbers.one_in(5) {
                        *text = text.replace("\r\n", "\n").replace('\n', "\r\n");
                    }
                }
            }
        }
        if numbers.one_in(3) {
            let place = numbers.pick(&["w/r", "w", "w/r/sub"]);
            let state = json!({"projects": {format!("{{HOME}}/{place}"): {"hasClaudeMdExternalIncludesApproved": true}}});
            self.text(".claude.json", state.to_string());
        }
        if numbers.one_in(6) {
            let exclude = numbers.pick(&[
                "**/sub/**",
                "**/target*.md",
                "{HOME}/w/lib/**",
                "{HOME}/w/r/CLAUDE.md",
                "**/AGENTS.md",
                "CLAUDE.md",
                "**/*.local.md",
            ]);
            self.text(".claude/settings.json", json!({"claudeMdExcludes": [exclude]}).to_string());
        }
    }

    fn codex(&mut self, numbers: &mut Numbers) {
        for name in [".codex/AGENTS.md", ".codex/AGENTS.override.md"] {
            if numbers.one_in(2) {
                self.file(numbers, name, String::new());
            }
        }
        for directory in DIRECTORIES {
            for (name, chance) in [
                ("AGENTS.md", 2),
                ("AGENTS.override.md", 6),
                ("TEAM.md", 4),
                ("CLAUDE.md", 5),
                ("agents.md", 12),
            ] {
                if numbers.one_in(chance) {
                    let filler =
                        "é filler ".repeat(numbers.below(60) * if numbers.one_in(8) { 60 } else { 1 });
                    let end = self.mark();
                    self.file(numbers, &join(directory, name), format!("{filler}\n{end}"));
                }
            }
        }
        if numbers.one_in(6) {
            // What cannot be looked at: a link to itself, two in a circle, one through a file, a marker.
            let place = numbers.pick(&["w", "w/r", "w/r/sub", "w/lib", ".codex"]);
            let name = numbers.pick(&["AGENTS.md", "AGENTS.override.md", "TEAM.md", "TOP", ".git"]);
            self.files.remove(&join(place, name));
            match numbers.below(3) {
                0 => self.link(&join(place, name), name),
                1 => {
                    self.link(&join(place, name), "round.md");
                    self.link(&join(place, "round.md"), name);
                }
                _ => {
                    self.text(&join(place, "file"), String::new());
                    self.link(&join(place, name), "file/below.md");
                }
            }
            let below = format!("{}/", join(place, name));
            self.files.retain(|path, _| !path.starts_with(&below));
        }
        if numbers.one_in(3) {
            let limit = numbers.pick(&["0", "1", "60", "200", "777", "1500", "40000"]);
            self.codex.push_str(&format!("project_doc_max_bytes = {limit}\n"));
        }
        if numbers.one_in(2) {
            let names = numbers.pick(&[
                "[\"TEAM.md\"]",
                "[\"TEAM.md\", \"CLAUDE.md\"]",
                "[\"CLAUDE.md\", \"AGENTS.md\", \"\"]",
                "[\"./TEAM.md\", \"../TEAM.md\", \"sub/TEAM.md\"]",
                "[]",
            ]);
            self.codex.push_str(&format!("project_doc_fallback_filenames = {names}\n"));
        }
        if numbers.one_in(4) {
            let markers = numbers.pick(&["[\"TOP\"]", "[]", "[\"TOP\", \".git\"]", "[\"NONE\"]"]);
            self.codex.push_str(&format!("project_root_markers = {markers}\n"));
            if numbers.one_in(2) {
                self.text(&join(numbers.pick(&["w", "w/r/sub", "w/r"]), "TOP"), String::new());
            }
        }
        for key in ["developer_instructions", "instructions"] {
            if numbers.one_in(5) {
                let mark = self.mark();
                self.codex.push_str(&format!("{key} = \"{mark}\"\n"));
            }
        }
        if numbers.one_in(6) {
            let mark = self.mark();
            self.text(".codex/mine.md", format!("{mark}\n"));
            let name = numbers.pick(&["{HOME}/.codex/mine.md", "~/.codex/mine.md", "mine.md"]);
            self.codex.push_str(&format!("model_instructions_file = \"{name}\"\n"));
        }
        if numbers.one_in(3) {
            let level = numbers.pick(&["trusted", "trusted", "untrusted"]);
            let place = numbers.pick(&["w/r", "w/r/sub", "w"]);
            self.codex.push_str(&format!("[projects.\"{{HOME}}/{place}\"]\ntrust_level = \"{level}\"\n"));
        }
        for directory in ["w/r", "w/r/sub"] {
            let mut settings = String::new();
            if numbers.one_in(6) {
                settings.push_str("project_doc_max_bytes = 90\n");
            }
            for key in ["developer_instructions", "instructions"] {
                if numbers.one_in(8) {
                    let mark = self.mark();
                    settings.push_str(&format!("{key} = \"{mark}\"\n"));
                }
            }
            if numbers.one_in(8) {
                let mark = self.mark();
                self.text(&format!("{directory}/.codex/mi.md"), format!("{mark}\n"));
                settings.push_str("model_instructions_file = \"mi.md\"\n");
            }
            if !settings.is_empty() {
                self.text(&format!("{directory}/.codex/config.toml"), settings);
            }
        }
    }

    fn gemini(&mut self, numbers: &mut Numbers) {
        let forms: Vec<&str> = GEMINI_FORMS.to_vec();
        for directory in DIRECTORIES {
            for (name, chance) in [
                ("GEMINI.md", 2),
                ("AGENTS.md", 3),
                ("CONTEXT.md", 6),
                ("gemini.md", 12),
                (".gemini/GEMINI.md", 8),
            ] {
                if numbers.one_in(chance) {
                    let path = join(directory, name);
                    let more = self.imports(numbers, &path, &forms);
                    self.file(numbers, &path, more);
                }
            }
        }
        if numbers.one_in(2) {
            self.file(numbers, ".gemini/AGENTS.md", String::new());
        }
        let mut context = json!({});
        if numbers.one_in(2) {
            let names = ["AGENTS.md", "GEMINI.md", "CONTEXT.md"];
            context["fileName"] = match numbers.below(3) {
                0 => json!(names[numbers.below(3)]),
                1 => json!([names[0], names[2]]),
                _ => json!([" AGENTS.md ", ""]),
            };
        }
        if numbers.one_in(4) {
            context["memoryBoundaryMarkers"] = json!(numbers.pick(&[&["TOP"][..], &[".git", "TOP"], &[]]));
            if numbers.one_in(2) {
                self.text(&join(numbers.pick(&["w", "w/r/sub", "w/r"]), "TOP"), String::new());
            }
        }
        if numbers.one_in(5) {
            // It refuses to start where one is missing.
            let beside = if self.start == "w/r" { "../lib" } else { "~/w/lib" };
            context["includeDirectories"] = json!([numbers.pick(&[beside, "{HOME}/w/lib"])]);
            context["loadMemoryFromIncludeDirectories"] = json!(numbers.one_in(2));
        }
        self.gemini["context"] = context;
        if numbers.one_in(4) {
            let mut extension = json!({"name": "e", "version": "1.0.0"});
            if numbers.one_in(3) {
                extension["contextFileName"] = json!("OTHER.md");
            }
            self.text(".gemini/extensions/e/gemini-extension.json", extension.to_string());
            self.file(numbers, ".gemini/extensions/e/GEMINI.md", String::new());
            self.file(numbers, ".gemini/extensions/e/OTHER.md", String::new());
            if numbers.one_in(2) {
                let rule = numbers.pick(&["!{HOME}/*", "!{HOME}/w/r/", "!{HOME}/w/r/*", "!{HOME}/w/r/su*"]);
                let switches = json!({"e": {"overrides": [rule]}});
                self.text(".gemini/extensions/extension-enablement.json", switches.to_string());
            }
        }
        if numbers.one_in(6) {
            let linked = json!({"name": "ln", "version": "1.0.0"});
            self.text("w/lib/linked/gemini-extension.json", linked.to_string());
            self.file(numbers, "w/lib/linked/GEMINI.md", String::new());
            let install = json!({"source": "{HOME}/w/lib/linked", "type": "link"});
            self.text(".gemini/extensions/ln/.gemini-extension-install.json", install.to_string());
        }
        if numbers.one_in(2) {
            self.gemini_memory(numbers);
        }
        if numbers.one_in(4) {
            self.gemini_system_prompt(numbers);
        }
    }

    /// A private memory, and what says whose it is.
    fn gemini_memory(&mut self, numbers: &mut Numbers) {
        let start = format!("{{HOME}}/{}", self.start);
        // The name that a new folder would have, and another.
        let folder = numbers.pick(&["p", "p", self.start.rsplit('/').next().unwrap_or_default()]).to_owned();
        if numbers.one_in(2) {
            let registry = json!({"projects": {&start: folder}});
            self.text(".gemini/projects.json", registry.to_string());
        }
        let base = numbers.pick(&["tmp", "tmp", "history"]);
        match numbers.below(4) {
            0 => {}
            1 => {
                self.text(&format!(".gemini/{base}/{folder}/.project_root"), "{HOME}/w/elsewhere".to_owned());
            }
            _ => self.text(&format!(".gemini/{base}/{folder}/.project_root"), format!("{start}\n")),
        }
        for name in ["MEMORY.md", "GEMINI.md", "topic.md"] {
            if numbers.one_in(2) {
                self.file(numbers, &format!(".gemini/tmp/{folder}/memory/{name}"), String::new());
            }
        }
        if numbers.one_in(3) {
            // As older versions named it; which name that is, is known when the home is.
            self.file(numbers, ".gemini/tmp/{HASH}/memory/MEMORY.md", String::new());
        }
    }

    /// Another system prompt, named in the environment or in a file. It does not start where the file is missing.
    fn gemini_system_prompt(&mut self, numbers: &mut Numbers) {
        let start = self.start.clone();
        let (value, place) = match numbers.below(6) {
            0 => ("1".to_owned(), format!("{start}/.gemini/system.md")),
            1 => ("TRUE ".to_owned(), format!("{start}/.gemini/system.md")),
            2 => ("0".to_owned(), format!("{start}/.gemini/system.md")),
            3 => ("~/sys.md".to_owned(), "sys.md".to_owned()),
            4 => ("mine.md".to_owned(), format!("{start}/mine.md")),
            _ => ("{HOME}/w/sys.md".to_owned(), "w/sys.md".to_owned()),
        };
        let mark = self.mark();
        self.text(&place, format!("You are {mark}.\n"));
        if numbers.one_in(3) {
            return self.env.push(("GEMINI_SYSTEM_MD", value));
        }
        let line = match numbers.below(4) {
            0 => format!("export GEMINI_SYSTEM_MD = \"{value}\"\n"),
            1 => format!("GEMINI_SYSTEM_MD='{value}' # why\nOTHER=1\n"),
            2 => format!("GEMINI_SYSTEM_MD=none.md\nGEMINI_SYSTEM_MD: {value}\n"),
            _ => format!("GEMINI_SYSTEM_MD={value} # why\n"),
        };
        let file = numbers.pick(&[".env", ".gemini/.env"]);
        let place = numbers.pick(&["", "w", "w/r", "w/r/sub"]);
        self.text(&join(place, file), line);
        if numbers.one_in(3) {
            // The first file that is there is the only one.
            self.text(&join(numbers.pick(&["", "w", "w/r"]), ".env"), "UNUSED=1\n".to_owned());
        }
        if numbers.one_in(5) {
            self.gemini["advanced"] = json!({"ignoreLocalEnv": true});
        }
    }

    fn opencode(&mut self, numbers: &mut Numbers, unique: &str) {
        let guide = format!("guide-{unique}.md");
        for name in [".config/opencode/AGENTS.md", ".claude/CLAUDE.md"] {
            if numbers.one_in(2) {
                self.file(numbers, name, "@import.md".to_owned());
            }
        }
        let few = numbers.one_in(3);
        for directory in DIRECTORIES {
            for (name, chance) in [
                ("AGENTS.md", if few { 12 } else { 3 }),
                ("CLAUDE.md", 3),
                ("CONTEXT.md", 5),
                ("AGENTS.local.md", 9),
            ] {
                if numbers.one_in(chance) {
                    self.file(numbers, &join(directory, name), String::new());
                }
            }
            if numbers.one_in(3) {
                let mark = self.mark();
                self.text(&join(directory, &format!("docs/{guide}")), format!("{mark}\n"));
            }
        }
        let patterns = [
            "docs/*.md".to_owned(),
            format!("docs/{guide}"),
            "~/w/lib/docs/*.md".to_owned(),
            format!("{{HOME}}/docs/{guide}"),
            format!("**/{guide}"),
            format!("./docs/{guide}"),
            format!("../docs/{guide}"),
        ];
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        if numbers.one_in(2) {
            let list: Vec<&str> = (0..=numbers.below(2)).map(|_| numbers.pick(&patterns)).collect();
            self.opencode["instructions"] = json!(list);
        }
        if numbers.one_in(4) {
            let file = numbers.pick(&[
                "w/r/opencode.json",
                "w/opencode.json",
                "w/r/.opencode/opencode.json",
                "w/r/opencode.jsonc",
            ]);
            self.text(file, format!("{{\"instructions\": [\"{}\"]}}\n", numbers.pick(&patterns)));
        }
        for variable in [
            "OPENCODE_DISABLE_CLAUDE_CODE",
            "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT",
            "OPENCODE_DISABLE_PROJECT_CONFIG",
        ] {
            if numbers.one_in(12) {
                self.env.push((variable, "1".to_owned()));
            }
        }
    }

    /// Writes the files below `home`.
    pub(crate) fn write(&self, home: &Path) {
        let fill = |text: &str| text.replace("{HOME}", &home.display().to_string());
        for directory in DIRECTORIES {
            std::fs::create_dir_all(home.join(directory)).expect("a directory");
        }
        let start = home.join(&self.start).display().to_string();
        let hash = retrace_model::Sha256::of(start.as_bytes()).to_hex();
        for (path, content) in &self.files {
            let path = home.join(path.replace("{HASH}", &hash));
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            match content {
                Content::Text(text) => std::fs::write(&path, fill(text)).expect("a file"),
                Content::Link(to) => std::os::unix::fs::symlink(to, &path).expect("a link"),
            }
        }
    }

    /// A file that a session might read, made in every directory at and below where it starts.
    pub(crate) fn reads(&self, home: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut waiting = vec![home.join(&self.start)];
        while let Some(folder) = waiting.pop() {
            let file = folder.join("x.rs");
            std::fs::write(&file, "fn main() {}\n").expect("a file");
            files.push(file);
            for entry in std::fs::read_dir(folder).expect("a directory").flatten() {
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if entry.file_type().expect("a type").is_dir() && !is_hidden {
                    waiting.push(entry.path());
                }
            }
        }
        files.sort();
        files
    }
}

const CLAUDE_FORMS: [&str; 21] = [
    "@IT",
    "See @IT for more",
    "- @IT",
    "@IT.",
    "(@IT)",
    "`@IT`",
    "```\n@IT\n```",
    "**@IT**",
    "> @IT",
    "<!-- @IT -->",
    "@IT#part",
    "    @IT",
    "# @IT",
    "x@IT",
    "- x <!-- @IT -->",
    "1. x\na <!-- @IT --> b",
    "- x `y @IT z`",
    "> q <!-- @IT -->",
    "- a\n  - b\n\n    p `y @IT z`",
    "- x\n  <!-- @IT -->",
    "- # h `y @IT z`",
];

const CLAUDE_FRONT: [&str; 13] = [
    "paths: \"**/*.rs\"",
    "paths: **/*.rs",
    "paths:\n  - \"**/*.rs\"\n  - \"*.zzz\"",
    "paths: \"**\"",
    "name: y",
    "paths: []",
    "paths: \"*.zzz\"",
    "globs: \"**/*.rs\"",
    "paths: [[\"**/*.rs\"]]",
    "paths: [{a: \"**/*.rs\"}]",
    "d: a---b\npaths: \"**/*.rs\"",
    "paths: \"**/*.rs\"\nd: a---b",
    "paths: \"**/*.rs\"\nbad: [open",
];

const GEMINI_FORMS: [&str; 8] =
    ["@IT", "See @IT for more", "@IT.", "(@IT)", "`@IT`", "```\n@IT\n```", "x@IT", "> @IT"];

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// A path without `.` and `..`; empty where it leads out of the home.
fn lexical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return String::new(),
            ".." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}
