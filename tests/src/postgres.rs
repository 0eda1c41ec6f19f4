//! A real PostgreSQL on a socket of its own, from the programs that the system has. It ends with the test program, however that
//! ends: a shell between the two waits for it, stops the server and removes its directory.

#![allow(clippy::panic, reason = "a test without its database fails")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Longest wait for a server to start, or to end.
const LIMIT: Duration = Duration::from_secs(60);

/// Starts the server, waits for the word of the test program or its end, and cleans up.
const GUARD: &str = r#"
directory=$1; shift
"$@" &
server=$!
exec 2>/dev/null
word=
read -r word || :
kill -QUIT "$server"
wait "$server"
[ "$word" = keep ] || rm -rf "$directory"
"#;

/// Line of the server's log once it can be used.
const READY: [&str; 2] = ["ready to accept connections", "ready to accept read-only connections"];

/// A server.
pub struct Postgres {
    programs: PathBuf,
    /// Holds `data` and `socket`.
    directory: PathBuf,
    /// Address beside the socket; empty for none.
    listen: String,
    running: Option<Running>,
}

struct Running {
    guard: Child,
    word: ChildStdin,
    log: Arc<Mutex<Vec<String>>>,
    ended: Mutex<Receiver<()>>,
}

/// A database of its own in a server that the tests of one program share.
pub struct Database {
    server: &'static Postgres,
    name: String,
}

impl Postgres {
    /// Starts a server that nobody else uses. Where PostgreSQL is not installed, says so and answers `None`.
    #[must_use]
    pub fn start() -> Option<Self> {
        let mut server = Self::prepared()?;
        server.begin();
        Some(server)
    }

    /// A server that also listens on an address of this machine and encrypts there, with a certificate and its key as PEM.
    #[must_use]
    pub fn start_with_tls(listen: &str, certificate: &str, key: &str) -> Option<Self> {
        let mut server = Self::prepared()?;
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = server.data().join(name);
            std::fs::write(&path, text).expect("a file");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
            if let Some((user, group)) = user() {
                chown(&path, Some(user), Some(group)).expect("root may");
            }
        }
        server.set("ssl = on\n");
        listen.clone_into(&mut server.listen);
        server.begin();
        Some(server)
    }

    fn prepared() -> Option<Self> {
        let Some(programs) = programs() else {
            println!("skipped: PostgreSQL is not installed (scripts/install-packages test)");
            return None;
        };
        let server = Self { programs, directory: directory(), listen: String::new(), running: None };
        let data = server.data().display().to_string();
        server.succeed("initdb", &["-D", &data, "-U", "retrace", "-A", "trust", "-E", "UTF8", "--no-locale"]);
        server.set("max_connections = 300\nwal_level = replica\nlc_messages = 'C'\n");
        // In its directory, which goes with it: shared memory stays where a server is killed.
        server.set("dynamic_shared_memory_type = mmap\n");
        Some(server)
    }

    /// A database of its own in the server that the tests of this program share; `None` as for [`Postgres::start`].
    #[must_use]
    pub fn database() -> Option<Database> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let shared = || {
            let mut server = Self::prepared()?;
            // Programs are killed in these tests, this machine is not: what the kernel was given is there.
            server.set("fsync = off\n");
            server.begin();
            Some(server)
        };
        let server = SHARED.get_or_init(shared).as_ref()?;
        let name = format!("hub_{}", NEXT.fetch_add(1, Ordering::SeqCst));
        server.sql("postgres", &format!("CREATE DATABASE {name}"));
        Some(Database { server, name })
    }

    /// Address of its first database.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// Address of a database.
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        format!("postgresql://retrace@/{database}?host={}", self.socket().display())
    }

    /// Address of whichever of this server and another takes writes.
    #[must_use]
    pub fn url_with(&self, other: &Self) -> String {
        let host = |server: &Self| server.socket().display().to_string().replace('/', "%2F");
        let (this, other) = (host(self), host(other));
        format!("postgresql://retrace@{this},{other}/postgres?target_session_attrs=read-write")
    }

    /// Runs statements in a database; answers rows as lines, columns apart by `|`.
    #[must_use]
    pub fn query(&self, database: &str, sql: &str) -> String {
        let url = self.url_of(database);
        let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &url, "-c", sql];
        let output = self.succeed("psql", &words);
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Runs statements in a database.
    pub fn sql(&self, database: &str, sql: &str) {
        drop(self.query(database, sql));
    }

    /// Waits until an expression holds. The server looks again and again.
    pub fn wait_until(&self, database: &str, sql: &str) {
        let again = format!(
            "DO $$ BEGIN FOR turn IN 1..600 LOOP
                 IF ({sql}) THEN RETURN; END IF;
                 PERFORM pg_sleep(0.1);
             END LOOP; RAISE EXCEPTION 'it does not come'; END $$"
        );
        self.sql(database, &again);
    }

    /// Its data directory.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// Where its programs are, such as `pg_dump`.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Adds lines to its configuration, for its next start.
    pub fn set(&self, lines: &str) {
        let file = self.data().join("postgresql.conf");
        let mut file = std::fs::OpenOptions::new().append(true).open(file).expect("the configuration");
        file.write_all(lines.as_bytes()).expect("lines");
    }

    /// A streaming copy of this server, which follows it from now on.
    #[must_use]
    pub fn standby(&self) -> Self {
        let mut standby = Self {
            programs: self.programs.clone(),
            directory: directory(),
            listen: String::new(),
            running: None,
        };
        let (data, url) = (standby.data().display().to_string(), self.url());
        standby.succeed("pg_basebackup", &["-D", &data, "-d", &url, "-R", "-X", "stream", "-c", "fast"]);
        standby.begin();
        standby
    }

    /// Makes a standby the server that takes writes.
    pub fn promote(&self) {
        assert_eq!(self.query("postgres", "SELECT pg_promote(true, 60)"), "t");
    }

    /// Kills the server as a crash of its host would end it: nothing is told, nothing is written. Waits until every process of
    /// it is gone.
    pub fn kill(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let pid = pid.lines().next().expect("its first line is the process").to_owned();
        let killed = Command::new("kill").args(["-9", &pid]).status().expect("kill");
        assert!(killed.success(), "the server had ended");
        running
            .ended
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .recv_timeout(LIMIT)
            .expect("its processes end");
        // The guard may be gone with an error; its end is waited for below.
        let _ = running.word.write_all(b"keep\n");
        drop(running.word);
        running.guard.wait().expect("it ends");
    }

    /// Starts it again after [`Postgres::kill`].
    pub fn start_again(&mut self) {
        assert!(self.running.is_none(), "it runs");
        self.begin();
    }

    fn socket(&self) -> PathBuf {
        self.directory.join("socket")
    }

    fn begin(&mut self) {
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "guard"]).arg(&self.directory).arg(self.programs.join("postgres"));
        command.arg("-D").arg(self.data()).arg("-k").arg(self.socket());
        command.args(["-c", &format!("listen_addresses={}", self.listen)]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).current_dir("/");
        as_its_user(&mut command);
        let mut guard = command.spawn().expect("a shell");
        let (word, errors) =
            (guard.stdin.take().expect("its input"), guard.stderr.take().expect("its errors"));
        let log = Arc::new(Mutex::new(Vec::new()));
        let ((ready, is_ready), (end, ended)) = (channel(), channel());
        let kept = Arc::clone(&log);
        std::thread::spawn(move || follow(BufReader::new(errors), &kept, &ready, &end));
        let running = Running { guard, word, log, ended: Mutex::new(ended) };
        if is_ready.recv_timeout(LIMIT).is_err() {
            let log = running.log.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
            panic!("PostgreSQL did not start:\n{log}");
        }
        self.running = Some(running);
    }

    fn succeed(&self, program: &str, words: &[&str]) -> Output {
        let mut command = Command::new(self.programs.join(program));
        command.args(words).current_dir("/").env("LC_ALL", "C").stdin(Stdio::null());
        as_its_user(&mut command);
        let output = command.output().expect("a program of PostgreSQL");
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            drop(running.word);
            // Nothing is left to do where it cannot be waited for.
            let _ = running.guard.wait();
        }
        // The guard removed it, unless the server was killed.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

impl Database {
    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url_of(&self.name)
    }

    /// Runs statements; answers rows as lines, columns apart by `|`.
    #[must_use]
    pub fn query(&self, sql: &str) -> String {
        self.server.query(&self.name, sql)
    }

    /// Runs statements.
    pub fn sql(&self, sql: &str) {
        self.server.sql(&self.name, sql);
    }

    /// What an expression answers of each table, whose rows are `t` in it, by the tables' names in order: one query for all.
    #[must_use]
    pub fn of_each_table(&self, expression: &str) -> Vec<(String, String)> {
        let tables = self.query(
            "SELECT string_agg(quote_ident(tablename), ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'",
        );
        let of = |table: &str| format!("SELECT '{table}', ({expression})::text FROM {table} t");
        let all = tables.split_whitespace().map(of).collect::<Vec<_>>().join(" UNION ALL ");
        let answers = self.query(&all);
        let answer =
            |line: &str| line.split_once('|').map(|(table, answer)| (table.to_owned(), answer.to_owned()));
        answers.lines().filter_map(answer).collect()
    }

    /// The server, for its programs. Tests that break something start one of their own.
    #[must_use]
    pub fn server(&self) -> &Postgres {
        self.server
    }
}

/// Keeps what a server says, tells when it is ready, and when its last process has ended.
fn follow(errors: impl BufRead, log: &Mutex<Vec<String>>, ready: &Sender<()>, end: &Sender<()>) {
    for line in errors.lines().map_while(Result::ok) {
        let is_ready = READY.iter().any(|words| line.contains(words));
        log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        if is_ready {
            // Nobody waits for it a second time.
            let _ = ready.send(());
        }
    }
    // Nobody waits for the end of most servers.
    let _ = end.send(());
}

/// The newest installed programs.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let found = versions.filter_map(|entry| {
        let version: u32 = entry.file_name().to_str()?.parse().ok()?;
        let programs = entry.path().join("bin");
        programs.join("postgres").exists().then_some((version, programs))
    });
    found.max().map(|(_, programs)| programs)
}

/// The user that servers run as, where this is root, under whom none starts.
fn user() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").map_or(1, |this| this.uid()) != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("the list of users");
    let line = users.lines().find(|line| line.starts_with("postgres:")).expect("its package made a user");
    let mut fields = line.split(':').skip(2).map(|field| field.parse().expect("a number"));
    Some((fields.next().expect("a user"), fields.next().expect("a group")))
}

fn as_its_user(command: &mut Command) {
    if let Some((user, group)) = user() {
        command.uid(user).gid(group);
    }
}

/// A directory for a server: it alone writes there, others may look for the socket.
fn directory() -> PathBuf {
    let directory = tempfile::tempdir().expect("a temporary directory").keep();
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let (data, socket) = (directory.join("data"), directory.join("socket"));
    for path in [&data, &socket] {
        std::fs::create_dir(path).expect("a directory");
    }
    if let Some((user, group)) = user() {
        // All three: the guard, which removes them, runs as that user too.
        for path in [&data, &socket, &directory] {
            chown(path, Some(user), Some(group)).expect("root may");
        }
    }
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    directory
}
