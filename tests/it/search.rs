//! Full-text search.

use retrace_api::{commands, wire};
use retrace_tests::World;

fn hits(world: &World, query: &str, history: bool) -> Vec<wire::Hit> {
    let request = wire::SearchReq { query: query.to_owned(), history, ..wire::SearchReq::default() };
    commands::search(&world.app, request).expect("a search").hits
}

#[test]
fn live_and_history() {
    let world = World::new();
    let first = world.record("a.md", "# Rules\nNever retry a payment from the client.\n");
    world.record("a.md", "# Rules\nAsk before you deploy.\n");
    world.record("b.md", "記憶は短く保つ\n");
    assert!(hits(&world, "retry", false).is_empty(), "it is live no more");
    let found = hits(&world, "RETRY pay", true);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].version_id, found[0].line), (&first.id, 2));
    assert_eq!(hits(&world, "deploy", false)[0].path.as_deref(), Some("a.md"));
    assert_eq!(hits(&world, "記憶", false)[0].path.as_deref(), Some("b.md"));
    world.remove("b.md");
    world.scan();
    assert!(hits(&world, "記憶", false).is_empty());
    assert_eq!(hits(&world, "記憶", true).len(), 1);
}

#[test]
fn queries_without_a_word_are_refused() {
    let world = World::new();
    for query in ["", "  ", "\"*:", "--"] {
        let request = wire::SearchReq { query: query.to_owned(), ..wire::SearchReq::default() };
        assert_eq!(commands::search(&world.app, request).expect_err(query).code, wire::Code::Invalid);
    }
}
