//! The process is killed at every step of every scan and act; the next one finds everything.

use crate::scenes::{self, SCENES, Scene, Stage};
use retrace_api::{FileStep, commands, wire};
use retrace_model::Sha256;
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{World, child, options_of, tree};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::sync::Arc;

/// More steps than any scene has.
const MAX_STEPS: u64 = 500;

/// Text that an editor writes at the worst moment.
const SLIPPED_IN: &str = "written at the worst moment\n";

/// Says that it was written.
const SLIPPED_MARK: &str = "slipped";

/// Not a test of its own: what a killed process does, told by its environment.
#[test]
fn one_that_is_killed() {
    let Some((task, directory)) = child::task() else { return };
    let mut words = task.split(' ');
    let mut word = || words.next().expect("a word");
    let (name, step, edits) = (word(), word().parse().expect("a number"), word() == "edits");
    let scene = SCENES.into_iter().find(|scene| scene.name == name).expect("a scene");
    let spring = Spring::Call(Box::new(|| {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("a process may kill itself");
    }));
    let mut options = options_of(&directory, 2);
    let place = directory.clone();
    let trap = if edits { Trap::meanwhile(spring, move |at| slip_in(&place, at)) } else { Trap::new(spring) };
    options.faults = Arc::<Trap>::clone(&trap);
    let world = World::over(options);
    trap.set(step);
    drop((scene.act)(&world).expect("undisturbed it works"));
    trap.release();
}

/// Edits the file that is about to be replaced or deleted, once.
fn slip_in(directory: &Path, at: FileStep) {
    let file = match at {
        FileStep::Exchange => "changed.md",
        FileStep::SetAside => "added.md",
        _ => return,
    };
    let (file, mark) = (directory.join("notes").join(file), directory.join(SLIPPED_MARK));
    if file.exists() && !mark.exists() {
        std::fs::write(mark, "").expect("a mark");
        std::fs::write(file, SLIPPED_IN).expect("an edit");
    }
}

/// Kills a process at `step` of `scene`; `false` when it came to its end before.
fn killed(stage: &Stage, step: u64, edits: &str) -> bool {
    let task = format!("{} {step} {edits}", stage.scene.name);
    let output = child::command("crashes::one_that_is_killed", &task, stage.directory.path()).output();
    let output = output.expect("a process");
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(9), "{} ended otherwise: {reported}", stage.scene.name);
    }
    !output.status.success()
}

fn kill_everywhere(scene: Scene) {
    kill_everywhere_and(scene, |_, _, _| ());
}

/// Kills a process at every step of a scene. After each, all that holds of every scene is checked, and then `check`, which is
/// told whether the act came to its end.
fn kill_everywhere_and(scene: Scene, check: impl Fn(&World, bool, &str)) {
    let stage = Stage::new(scene);
    for step in 1..MAX_STEPS {
        stage.reset();
        if !killed(&stage, step, "alone") {
            assert!(step > 2, "{} passes only {step} steps", scene.name);
            check(&World::over(options_of(stage.directory.path(), 3)), true, "undisturbed");
            return;
        }
        let world = World::over(options_of(stage.directory.path(), 3));
        let when = format!("killed at step {step}");
        stage.check(&world, &when);
        check(&world, false, &when);
    }
    panic!("{} does not come to an end", scene.name);
}

#[test]
fn while_somebody_else_edits() {
    let stage = Stage::new(scenes::RESTORE);
    let slipped = Sha256::of(SLIPPED_IN.as_bytes()).to_hex();
    for step in 1..MAX_STEPS {
        stage.reset();
        let mark = stage.directory.path().join(SLIPPED_MARK);
        drop(std::fs::remove_file(&mark));
        let ended = !killed(&stage, step, "edits");
        let world = World::over(options_of(stage.directory.path(), 3));
        world.scan();
        let known = scenes::recorded(&world);
        assert!(!mark.exists() || known.contains(&slipped), "killed at step {step}: the edit is lost");
        let now = tree::read(&world.path("notes"));
        assert!(
            !now.keys().any(|path| path.contains(".retrace-")),
            "killed at step {step}: {:?}",
            now.keys()
        );
        assert_eq!(world.scan(), 0, "killed at step {step}");
        if ended {
            assert!(mark.exists());
            assert_eq!(
                now.get("changed.md").map(Vec::as_slice),
                Some(SLIPPED_IN.as_bytes()),
                "the edit stands"
            );
            return;
        }
    }
    panic!("it does not come to an end");
}

#[test]
fn while_scanning() {
    kill_everywhere(scenes::SCAN);
    kill_everywhere(scenes::CONFLICT);
}

#[test]
fn while_rolling_back() {
    kill_everywhere(scenes::ROLLBACK);
}

#[test]
fn while_restoring() {
    kill_everywhere(scenes::RESTORE);
}

#[test]
fn while_moving_an_entry() {
    kill_everywhere(scenes::MOVE);
}

#[test]
fn while_expiring() {
    kill_everywhere(scenes::EXPIRY);
}

#[test]
fn while_the_memory_tool_edits_and_deletes() {
    kill_everywhere(scenes::TOOL_EDIT);
    kill_everywhere(scenes::TOOL_DELETION);
}

#[test]
fn while_redacting() {
    kill_everywhere(scenes::REDACTION);
}

/// A review that is in the log was carried out: what is reviewed is on the disk as it was decided. One that is not leaves
/// the change to be reviewed, and can be repeated.
fn kill_a_review(scene: Scene, decided: &str) {
    kill_everywhere_and(scene, |world, ended, when| {
        let left = scenes::unreviewed(world);
        if left.is_empty() {
            let file = std::fs::read_to_string(world.path("notes/a.md")).expect("the file");
            assert_eq!(file, decided, "{when}: it counts as reviewed");
            return;
        }
        assert!(!ended, "{when}: it is left to review");
        assert_eq!(left, ["a.md"], "{when}");
        (scene.act)(world).expect("it can be repeated");
        assert_eq!(scenes::unreviewed(world), Vec::<String>::new(), "{when}, and repeated");
        let file = std::fs::read_to_string(world.path("notes/a.md")).expect("the file");
        assert_eq!(file, decided, "{when}, and repeated");
    });
}

#[test]
fn while_rejecting() {
    kill_a_review(scenes::REJECTION, "one\n");
}

#[test]
fn while_approving_another_text() {
    kill_a_review(scenes::EDIT, scenes::FINAL_TEXT);
}

#[test]
fn while_adding_a_store() {
    kill_everywhere_and(scenes::ADDITION, |world, _, when| {
        let stores = commands::stores(&world.app, wire::Nothing {}).expect("stores").stores;
        if !stores.iter().any(|store| store.name == "more") {
            (scenes::ADDITION.act)(world).expect("it can be repeated");
        }
        world.scan();
        assert_eq!(scenes::unreviewed(world), Vec::<String>::new(), "{when}: what was there before is known");
        std::fs::write(world.path("more/d.md"), "new\n").expect("a file");
        world.scan();
        assert_eq!(scenes::unreviewed(world), ["d.md"], "{when}: what comes after is not");
        std::fs::remove_file(world.path("more/d.md")).expect("it is there");
    });
}
