//! Any text is a configuration or an error, and so with baselines; a baseline that was read and written is the same again;
//! patterns of paths and every rule's severity can be asked for.
#![no_main]
use retrace_findings::{Baseline, Config, rules};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(config) = Config::parse(text) {
        for path in ["MEMORY.md", "logs/2026/a.md", "a/b/c.txt", text] {
            let _ = config.excludes(path);
        }
        assert!(rules().iter().all(|rule| config.severity(rule).is_none_or(|at| at.as_str().len() > 3)));
    }
    if let Ok(baseline) = Baseline::parse(text) {
        let again = Baseline::parse(&baseline.to_text()).expect("it was written by this version");
        assert_eq!(again, baseline);
    }
});
