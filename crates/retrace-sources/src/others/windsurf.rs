//! Windsurf: `~/.codeium/windsurf/memories`. Source of the path: public tools; the form of generated memories on disk is
//! not confirmed, so the directory is listed as plain files.

use super::holds;
use crate::scan::Scan;
use crate::{Found, Surroundings};
use retrace_model::StoreKind;

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan) -> Vec<Found> {
    let Some(root) = scan.directory(&surroundings.home, &[".codeium", "windsurf", "memories"]) else {
        return Vec::new();
    };
    let mut evidence = vec![say::memories_directory_windsurf()];
    evidence.extend(holds(&root, &["global_rules.md"]));
    let reason = say::directory_windsurf_reads_every_session();
    vec![Found::new(root, StoreKind::Plain, "Windsurf".to_owned(), evidence).because(reason)]
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "windsurf";
    memories_directory_windsurf() => "the memories directory of Windsurf",
    directory_windsurf_reads_every_session() => "The directory is there; Windsurf reads it in every session.",
}

#[cfg(test)]
mod tests {
    use crate::testing::Home;
    use retrace_model::StoreKind;

    #[test]
    fn the_directory_is_plain_files() {
        let home = Home::new();
        home.write(".codeium/windsurf/memories/global_rules.md", "x");
        let discovery = home.discover();
        let windsurf = discovery.at(&home.path(".codeium/windsurf/memories"));
        assert_eq!((windsurf.name.as_str(), windsurf.kind), ("Windsurf", StoreKind::Plain));
        assert!(windsurf.tells("global_rules.md"));
    }
}
