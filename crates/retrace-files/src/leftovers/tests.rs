use crate::harness::{Store, crash, path};
use crate::{Expected, FileError, Leftover, LeftoverKind, Root, Step};
use retrace_model::{Rules, Sha256};

const NEW_STEPS: usize = 5;

/// A store in whose directory `x` a replacement stopped when the displaced content had its hidden name.
fn stopped() -> (Store, Leftover) {
    let store = Store::new();
    store.write("x/a.md", "old");
    store.write("x/b.md", "other");
    let stopped = crash(NEW_STEPS, |steps| {
        let old = Expected::Hash(Sha256::of(b"old"));
        drop(store.root().replace(&path("x/a.md"), old, b"new", 7, steps));
    });
    assert_eq!(stopped, Some(Step::CheckDisplaced));
    let leftover = only(&store.root());
    (store, leftover)
}

fn only(root: &Root) -> Leftover {
    let mut leftovers = root.leftovers(&Rules::default());
    assert_eq!(leftovers.len(), 1, "{leftovers:?}");
    leftovers.remove(0)
}

#[test]
fn a_leftover_is_found_with_its_file_and_its_content() {
    let (_store, leftover) = stopped();
    assert_eq!(leftover.kind, LeftoverKind::Swap);
    assert_eq!(leftover.target, Some(path("x/a.md")));
    assert_eq!((leftover.sha256, leftover.bytes), (Sha256::of(b"old"), Some(b"old".to_vec())));
}

#[test]
fn a_leftover_that_changed_is_not_discarded() {
    let (store, leftover) = stopped();
    store.write(&leftover.path.to_text(), "written since");
    let error = store.root().discard(&leftover).unwrap_err();
    assert!(matches!(error, FileError::Moved { found: Some(_), .. }), "{error}");
    let now = only(&store.root());
    store.root().discard(&now).unwrap();
    assert_eq!(store.hidden(), Vec::<String>::new());
    assert!(matches!(store.root().discard(&now), Err(FileError::Moved { found: None, .. })));
}

#[test]
fn nothing_is_cleaned_up_while_an_act_is_under_way() {
    let (store, leftover) = stopped();
    let acting = store.root().parent_of(&path("x/a.md")).unwrap();
    acting.mark_busy();
    assert_eq!(store.root().leftovers(&Rules::default()), []);
    assert!(matches!(store.root().discard(&leftover), Err(FileError::Unstable { .. })));
    drop(acting);
    assert_eq!(only(&store.root()), leftover);
}

#[test]
fn a_leftover_is_put_back_only_where_nothing_is() {
    let (store, leftover) = stopped();
    for target in ["x/a.md", "y/a.md", "a.md"] {
        let error = store.root().put_back(&leftover, &path(target)).unwrap_err();
        assert!(matches!(error, FileError::Moved { kept: Some(_), .. }), "{target}: {error}");
    }
    store.root().put_back(&leftover, &path("x/c.md")).unwrap();
    assert_eq!(store.text("x/c.md").unwrap(), "old");
    assert_eq!(store.text("x/a.md").unwrap(), "new");
}
