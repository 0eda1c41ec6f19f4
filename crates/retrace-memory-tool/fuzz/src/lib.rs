//! Requirements of every target on a call: it is answered, nothing outside the directory is shown or changed, and no
//! path of this machine reaches the model.

use retrace_memory_tool::{Answer, Change, Dialect, MemoryTool, Observer, Options, Unobserved};
use retrace_model::RelPath;
use serde_json::Value;
use std::cell::RefCell;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stands in every file outside, and in no file inside.
const OUTSIDE: &str = "what lies outside";

/// A memory, what lies beside it, and links between.
struct Ground {
    temporary: tempfile::TempDir,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let (outside, root) = (temporary.path().join("outside"), temporary.path().join("memories"));
        std::fs::create_dir_all(outside.join("d")).expect("a folder");
        std::fs::write(outside.join("secret.md"), OUTSIDE).expect("a file");
        let ground = Self { temporary, root };
        ground.fill();
        ground
    }

    /// Makes the memory as it is at the beginning of each call.
    fn fill(&self) {
        let root = &self.root;
        if root.exists() {
            std::fs::remove_dir_all(root).expect("it goes");
        }
        std::fs::create_dir_all(root.join("d/e")).expect("a folder");
        for (file, content) in [("a.md", "one\ntwo\ntwo\n"), ("d/b.md", "inside\r\n"), ("d/e/c.md", "")] {
            std::fs::write(root.join(file), content).expect("a file");
        }
        let links = [
            ("../outside", "out"),
            ("../outside/secret.md", "secret"),
            ("..", "up"),
            ("d", "in"),
            ("circle", "circle"),
        ];
        for (target, name) in links {
            symlink(target, root.join(name)).expect("a link");
        }
    }

    fn names(path: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(path).expect("a folder").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn assert_untouched(&self) {
        let top = self.temporary.path();
        assert_eq!(Self::names(top), ["memories", "outside"]);
        assert_eq!(Self::names(&top.join("outside")), ["d", "secret.md"]);
        assert!(Self::names(&top.join("outside/d")).is_empty());
        assert_eq!(std::fs::read_to_string(top.join("outside/secret.md")).expect("text"), OUTSIDE);
    }
}

/// Counts what it is told.
struct Reported(usize);

impl Observer for Reported {
    fn before(&mut self, _paths: &[RelPath]) -> Result<(), Unobserved> {
        Ok(())
    }

    fn changed(&mut self, _change: &Change<'_>) {
        self.0 += 1;
    }
}

thread_local! {
    static GROUND: RefCell<Option<Ground>> = const { RefCell::new(None) };
}

/// A path of the model that the fuzzer reaches more quickly than by guessing the root.
pub fn path(text: &str) -> String {
    if text.starts_with('/') { text.to_owned() } else { format!("/memories/{text}") }
}

/// Answers one input in every dialect, each on the same memory.
pub fn answers(input: &Value) {
    GROUND.with_borrow_mut(|kept| {
        let ground = kept.get_or_insert_with(Ground::new);
        for dialect in Dialect::ALL {
            let tool = MemoryTool::open(&ground.root, Options::new(dialect, Arc::new(|| 7))).expect("a tool");
            let mut reported = Reported(0);
            let Answer { content, is_error } = tool.call(input, &mut reported);
            let place = ground.temporary.path().to_string_lossy();
            // The fuzzer reads both texts off these comparisons and says them itself; then they may reappear.
            let quoted = input.to_string();
            for hidden in [OUTSIDE, &*place] {
                assert!(quoted.contains(hidden) || !content.contains(hidden), "{input}: {content}");
            }
            assert!(MemoryTool::changes(input) || reported.0 == 0, "{input}: a reading call changed something");
            assert!(!is_error || !content.is_empty(), "{input}");
            ground.assert_untouched();
            if MemoryTool::changes(input) {
                ground.fill();
            }
        }
    });
}
