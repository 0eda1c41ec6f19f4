//! Projects with memory that appear while Retrace runs.

use retrace_engine::stores::{add_store, remove_store, stores};
use retrace_engine::{Engine, EngineOptions};
use retrace_health::{Checks, ProjectsUpkeep, new_projects, set_new_projects};
use retrace_lab::{KeyInMemory, Lab};
use retrace_sources::{Platform, Surroundings};
use retrace_wire::{AddStore, Event, NewProjectsReq, Nothing, StoreRef};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A home with Claude Code, and a log beside it.
struct Machine {
    directory: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A project with memory; answers the directory of its memory.
    fn project(&self, name: &str) -> String {
        let project = self.home().join("src").join(name);
        std::fs::create_dir_all(project.join(".git")).expect("a repository");
        let slug = retrace_sources::slug(&project.to_string_lossy());
        let memory = self.home().join(".claude/projects").join(slug).join("memory");
        std::fs::create_dir_all(&memory).expect("a directory");
        std::fs::write(memory.join("MEMORY.md"), format!("# {name}\n")).expect("a file");
        memory.to_string_lossy().into_owned()
    }

    /// A process over the log.
    fn checks(&self) -> Arc<Checks> {
        let data = self.directory.path().join("data");
        let mut options = EngineOptions::for_this_machine(Some(data)).expect("options");
        options.surroundings = Surroundings::new(self.home(), Platform::Linux);
        let engine = Engine::open(options).expect("an engine");
        let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
        let checks = Arc::new(Checks::new(engine, lab));
        checks.forget_with(&checks);
        checks
    }
}

fn record(checks: &Arc<Checks>, root: &str) -> String {
    let request = AddStore { root: root.to_owned(), kind: None, name: None };
    add_store(checks, request).expect("the store is added").id
}

fn offered(checks: &Arc<Checks>) -> Vec<String> {
    let new = new_projects(checks, Nothing {}).expect("an answer");
    new.found.into_iter().map(|found| found.root).collect()
}

fn decline(checks: &Arc<Checks>, root: &str) {
    let request = NewProjectsReq { decline: vec![root.to_owned()], ..NewProjectsReq::default() };
    set_new_projects(checks, request).expect("the answer is kept");
}

fn always(checks: &Arc<Checks>, always: bool) {
    let request = NewProjectsReq { always: Some(always), ..NewProjectsReq::default() };
    assert_eq!(set_new_projects(checks, request).expect("the setting is kept").always, always);
}

#[test]
fn what_was_there_before_is_not_new() {
    let machine = Machine::new();
    let (harbour, lighthouse) = (machine.project("harbour"), machine.project("lighthouse"));
    let checks = machine.checks();
    let mut upkeep = ProjectsUpkeep::new(Arc::clone(&checks));
    upkeep.search().expect("a search");
    assert_eq!(offered(&checks), [] as [String; 0], "a first run shows everything anyway");

    record(&checks, &harbour);
    upkeep.search().expect("a search");
    assert_eq!(offered(&checks), [] as [String; 0], "{lighthouse} was seen and left out");

    let mill = machine.project("mill");
    assert_eq!(offered(&checks), [mill]);
}

#[test]
fn listeners_hear_once_of_what_is_new_and_once_that_it_was_answered() {
    let machine = Machine::new();
    let checks = machine.checks();
    record(&checks, &machine.project("harbour"));
    let mut upkeep = ProjectsUpkeep::new(Arc::clone(&checks));
    upkeep.search().expect("a search");
    let events = checks.subscribe();
    let heard = || events.try_iter().filter(|event| *event == Event::Projects).count();
    let mill = machine.project("mill");
    upkeep.search().expect("a search");
    upkeep.search().expect("a search");
    assert_eq!(heard(), 1);
    decline(&checks, &mill);
    assert_eq!(heard(), 1);
}

#[test]
fn what_was_declined_is_not_offered_again_until_asked_for() {
    let machine = Machine::new();
    let mill = {
        let checks = machine.checks();
        record(&checks, &machine.project("harbour"));
        ProjectsUpkeep::new(Arc::clone(&checks)).search().expect("a search");
        let mill = machine.project("mill");
        assert_eq!(offered(&checks), std::slice::from_ref(&mill));
        decline(&checks, &mill);
        assert_eq!(offered(&checks), [] as [String; 0]);
        mill
    };
    // Another process, and more memory in it.
    let checks = machine.checks();
    std::fs::write(Path::new(&mill).join("flour.md"), "# Flour\n").expect("a file");
    ProjectsUpkeep::new(Arc::clone(&checks)).search().expect("a search");
    assert_eq!(offered(&checks), [] as [String; 0]);

    let request = NewProjectsReq { offer: vec![mill.clone()], ..NewProjectsReq::default() };
    let again = set_new_projects(&checks, request).expect("an answer");
    assert_eq!(again.found.into_iter().map(|found| found.root).collect::<Vec<_>>(), [mill]);
}

#[test]
fn what_was_taken_off_the_list_is_not_new() {
    let machine = Machine::new();
    let checks = machine.checks();
    record(&checks, &machine.project("harbour"));
    ProjectsUpkeep::new(Arc::clone(&checks)).search().expect("a search");
    let store = record(&checks, &machine.project("mill"));
    remove_store(&checks, StoreRef { store }).expect("it is taken off the list");
    assert_eq!(offered(&checks), [] as [String; 0]);
}

#[test]
fn new_ones_are_recorded_without_asking_where_that_was_chosen() {
    let machine = Machine::new();
    let checks = machine.checks();
    record(&checks, &machine.project("harbour"));
    let mut upkeep = ProjectsUpkeep::new(Arc::clone(&checks));
    upkeep.search().expect("a search");
    let left_out = machine.project("mill");
    decline(&checks, &left_out);
    always(&checks, true);

    machine.project("quay");
    upkeep.search().expect("a search");
    let names = || {
        let listed = stores(&checks, Nothing {}).expect("the stores").stores;
        listed.into_iter().map(|store| (store.name, store.unreviewed)).collect::<Vec<_>>()
    };
    let recorded = names();
    assert_eq!(recorded.len(), 2, "not what was declined: {recorded:?}");
    assert!(recorded.iter().all(|(_, unreviewed)| *unreviewed == 0), "a baseline was taken: {recorded:?}");
    assert_eq!(offered(&checks), [] as [String; 0]);

    always(&checks, false);
    let pier = machine.project("pier");
    upkeep.search().expect("a search");
    assert_eq!((names().len(), offered(&checks)), (2, vec![pier]), "it is asked again");
}

#[test]
fn one_that_cannot_be_recorded_is_offered_with_the_others() {
    let machine = Machine::new();
    let checks = machine.checks();
    record(&checks, &machine.project("harbour"));
    let mut upkeep = ProjectsUpkeep::new(Arc::clone(&checks));
    upkeep.search().expect("a search");
    // A store around the new project: its files belong to that one already.
    let around = machine.home().join(".claude/projects/-src-quay");
    std::fs::create_dir_all(around.join("memory")).expect("a directory");
    std::fs::write(around.join("memory/MEMORY.md"), "# Quay\n").expect("a file");
    record(&checks, &around.to_string_lossy());
    always(&checks, true);
    upkeep.search().expect("a search");
    assert_eq!(stores(&checks, Nothing {}).expect("the stores").stores.len(), 2);
    assert_eq!(offered(&checks), [] as [String; 0], "nothing that would be refused is offered");
}

#[test]
fn answers_that_cannot_be_read_are_an_error_and_stay() {
    let machine = Machine::new();
    let checks = machine.checks();
    record(&checks, &machine.project("harbour"));
    let file = machine.directory.path().join("data/projects.json");
    std::fs::write(&file, "{").expect("a file");
    assert!(new_projects(&checks, Nothing {}).is_err());
    assert!(
        set_new_projects(&checks, NewProjectsReq { always: Some(true), ..NewProjectsReq::default() })
            .is_err()
    );
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "{");
}
