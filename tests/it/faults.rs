//! A failure at every step of every look and act: nothing is lost, nothing is half done.

use crate::scenes::{SCENES, Scene, Stage};
use retrace_tests::World;
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{options_of, tree};
use std::sync::Arc;

/// More steps than any scene has.
const MOST_STEPS: u64 = 500;

/// Disturbs `scene` at each step in turn, until it runs through undisturbed.
fn fail_everywhere(scene: Scene, spring: fn() -> Spring, whole: bool) {
    let stage = Stage::new(scene);
    for step in 1..MOST_STEPS {
        stage.reset();
        let trap = Trap::new(spring());
        let mut options = options_of(stage.directory.path(), 2);
        options.faults = Arc::<Trap>::clone(&trap);
        let world = World::over(options);
        trap.set(step);
        let answer = (scene.act)(&world);
        if !trap.release() {
            answer.expect("undisturbed it works");
            assert!(step > 2, "{} passes only {step} steps", scene.name);
            return;
        }
        let when = format!("failed at step {step}, answered {answer:?}");
        let now = tree::read(&world.path("notes"));
        let visible: tree::Tree = now.into_iter().filter(|(path, _)| !path.contains(".retrace-")).collect();
        if whole {
            assert!(visible == stage.before || visible == stage.after, "{} is half done: {when}", scene.name);
        }
        stage.check(&world, &when);
    }
    panic!("{} does not come to an end", scene.name);
}

#[test]
fn one_step_fails() {
    for scene in SCENES {
        // A redaction goes on when one of the live files cannot be changed, and says so.
        fail_everywhere(scene, || Spring::Fail, !scene.redacts);
    }
}

#[test]
fn every_step_fails_from_one_on() {
    for scene in SCENES {
        fail_everywhere(scene, || Spring::FailFromHere, false);
    }
}
