//! A failure at every step of every scan and act: nothing is lost, nothing is half done.

use crate::scenes::{SCENES, Scene, Stage};
use retrace_api::wire;
use retrace_tests::World;
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{options_of, tree};
use std::collections::BTreeSet;
use std::sync::Arc;

/// More steps than any scene has.
const MAX_STEPS: u64 = 500;

/// Disturbs `scene` at each step in turn, until it runs through undisturbed.
fn fail_everywhere(scene: Scene, spring: fn() -> Spring, whole: bool) {
    let stage = Stage::new(scene);
    for step in 1..MAX_STEPS {
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
        if let Ok(Some(result)) = &answer
            && result.partial
        {
            is_accounted_for(&stage, &visible, result, &when);
        }
        stage.check(&world, &when);
    }
    panic!("{} does not come to an end", scene.name);
}

/// An act done in part says of every file what became of it, and nothing that is not so.
fn is_accounted_for(stage: &Stage, now: &tree::Tree, result: &wire::ActResult, when: &str) {
    let done = result.writes.iter().chain(&result.deletes).map(|file| &file.path);
    let stopped = result.conflicts.iter().map(|conflict| &conflict.path);
    let left: Vec<&String> = result.left.iter().map(|file| &file.path).chain(stopped).collect();
    for path in &left {
        assert_eq!(now.get(*path), stage.before.get(*path), "{path} is said to be left: {when}");
    }
    let done: Vec<&String> = done.collect();
    for path in &done {
        assert_eq!(now.get(*path), stage.after.get(*path), "{path} is said to be done: {when}");
    }
    let paths: BTreeSet<&String> = stage.before.keys().chain(stage.after.keys()).collect();
    for path in paths.into_iter().filter(|path| stage.before.get(*path) != stage.after.get(*path)) {
        let named = done.iter().chain(&left).filter(|named| **named == path).count();
        assert_eq!(named, 1, "{path} is named once: {when}");
    }
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
