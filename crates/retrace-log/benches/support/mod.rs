//! Made-up memories for measuring: Markdown notes of one to three kilobytes that change by a line or two at a time, the
//! same in every run.

/// A small generator of pseudo-random numbers (xorshift64*), so that every run measures the same input.
pub(crate) struct Random(u64);

impl Random {
    /// A generator with its own sequence for each seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }

    /// Fills `bytes`, as the log's source of randomness does.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}

const WORDS: &str = "the a of to in and is for on with not that by when it from are be must only after before never \
always use run test build deploy branch merge review commit release staging production database migration index query \
cache queue worker retry timeout limit request response handler server client token session user account payment order \
invoice customer webhook event message schema table column field type error warning failure log metric trace alert \
dashboard config flag feature default value option setting environment variable secret key rotation policy owner team \
prefers asked said decided wants dislikes avoid keep remove rename move split join check verify confirm ensure because \
since until while although so then first last next previous every each some any all none one two three daily weekly \
monday friday morning evening meeting notes summary plan goal task issue ticket bug fix patch version module crate \
package library function method class interface struct trait enum macro script command shell terminal editor window \
page view component style layout color font icon button form input output file folder path root home project workspace \
repository remote local main feature-branch hotfix rollback snapshot backup restore archive import export report chart \
latency throughput memory disk network socket port host domain certificate proxy gateway router service container image \
cluster node pod volume region zone bucket object blob stream batch job schedule cron pipeline stage step artifact";

/// Text in the manner of agents' memories.
pub(crate) struct Author {
    /// Where its choices come from.
    pub random: Random,
    words: Vec<&'static str>,
}

impl Author {
    /// An author with its own sequence for each seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), words: WORDS.split_whitespace().collect() }
    }

    fn word(&mut self) -> &'static str {
        // Low numbers are likelier: a few words make up much of any text.
        let bound = 1 + self.random.below(self.words.len());
        self.words[self.random.below(bound)]
    }

    /// One line of a note, with its line feed.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::from("- ");
        for position in 0..6 + self.random.below(10) {
            if position > 0 {
                line.push(' ');
            }
            match self.random.below(14) {
                0 => line.push_str(&format!("`{}_{}()`", self.word(), self.word())),
                1 => line.push_str(&format!("{}", self.random.below(10_000))),
                2 => line.push_str(&format!("**{}**", self.word())),
                _ => line.push_str(self.word()),
            }
        }
        line.push_str(".\n");
        line
    }

    /// A new note: front matter, headings and lines, `target` bytes or a little more.
    pub(crate) fn note(&mut self, target: usize) -> String {
        let (name, about) = (self.word(), self.line());
        let mut text = format!("---\nname: {name}\ndescription: {}---\n\n# {name}\n\n", &about[2..]);
        while text.len() < target {
            if self.random.below(9) == 0 {
                text.push_str(&format!("\n## {} {}\n\n", self.word(), self.word()));
            }
            text.push_str(&self.line());
        }
        text
    }

    /// The same note with one or two lines changed, added or removed; it stays between one and three kilobytes.
    pub(crate) fn edit(&mut self, note: &str) -> String {
        let mut lines: Vec<String> = note.split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..1 + self.random.below(2) {
            let at = 6.min(lines.len()) + self.random.below(lines.len().saturating_sub(6).max(1));
            let size: usize = lines.iter().map(String::len).sum();
            let at = at.min(lines.len() - 1);
            match self.random.below(3) {
                0 if size < 3000 => lines.insert(at, self.line()),
                1 if size > 1000 => drop(lines.remove(at)),
                _ => lines[at] = self.line(),
            }
        }
        lines.concat()
    }
}
