/** A directory that git keeps. */
import { execFileSync } from "node:child_process";

const WHEN = "2026-11-01T00:00:00Z";

/** Commits all that is in a directory, which becomes a repository if it is none. Nothing of the machine's own git is used. */
export function commit(machine, directory, message) {
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=Robin", "-c", "user.email=robin@example.org", ...args], {
      cwd: directory,
      env: { ...machine.environment(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_COMMITTER_DATE: WHEN, GIT_AUTHOR_DATE: WHEN },
      stdio: "pipe",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", message);
}
