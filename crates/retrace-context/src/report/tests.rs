use super::*;
use crate::compose::{compose, file_uses};
use crate::regret::{Clearings, RegretIndex};
use crate::settings::Setting;
use crate::simulate::{Options, Prepared, simulate};
use crate::weigh::story::{Story, calls, used, words};
use serde_json::json;

const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=y>\" onload='z' &amp;\n\u{202e}";

fn page(name: &str, requests: u64) -> String {
    let mut story = Story::new(name);
    story.types("go");
    for turn in 0..requests {
        let id = format!("t{turn}");
        story.answers(
            Some(used(20_000 + turn * 900, 40)),
            vec![calls(&id, "Read", json!({"file_path": format!("{name}/memory/{}.md", turn % 7)}))],
        );
        story.results(&[(&id, &"x".repeat(800))]);
    }
    story.answers(Some(used(60_000, 40)), vec![words("done")]);
    let weights = story.weights();
    let prepared = Prepared::new(&story.transcript, &weights);
    let value = json!({"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": [name],
        "trigger": {"type": "input_tokens", "value": 22_000}}]});
    let setting = Setting::from_json(&value).expect("a setting");
    let outcome = simulate(&prepared, &setting, &Options::default());
    let regrets = RegretIndex::new(&story.transcript).regrets(&Clearings::of(&outcome));
    let warnings =
        [Warning { code: "trigger_never_reached", message: retrace_message::Message::verbatim(name) }];
    html(&Report {
        title: name,
        facts: vec![name.to_owned()],
        transcript: &story.transcript,
        contexts: &weights.contexts,
        classes: &compose(&story.transcript, &weights),
        sent: &[],
        files: &file_uses(&story.transcript, &weights, &|_| Some(1e-6)),
        window: Some(61_000),
        settings: vec![
            Tried {
                name,
                setting: &value,
                outcome: &outcome,
                regrets: &regrets,
                warnings: &warnings
            };
            2
        ],
    })
}

/// Names of elements, and of attributes, in the order they come.
fn structure(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for tag in page.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        found.push(tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\""));
    }
    found
}

#[test]
fn text_from_outside_changes_no_element_and_no_attribute() {
    let hostile = page(HOSTILE, 30);
    assert_eq!(structure(&hostile), structure(&page("plain", 30)));
    assert!(
        hostile.contains("&lt;script&gt;") && hostile.contains("‹U+202E›") && !hostile.contains('\u{202e}')
    );
    assert!(hostile.contains("read_again"));
}

#[test]
fn it_loads_nothing_and_runs_nothing() {
    let page = page("plain", 30);
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    for forbidden in ["<script", "http://", "https://", "url(", "@import", "src=", "href="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for needed in
        ["<svg", "prefers-color-scheme:dark", "@media print", "<table>", "Every request", "window 61,000"]
    {
        assert!(page.contains(needed), "{needed}");
    }
}

#[test]
fn long_runs_are_drawn_with_few_points() {
    let page = page("plain", 3_000);
    let points = page.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a line");
    assert!(points.split(' ').count() <= 1_000);
    assert!(page.contains("<th scope=\"row\">3000</th>"));
}

#[test]
fn an_empty_run_is_a_page_too() {
    let story = Story::new("");
    let report = Report {
        title: "",
        facts: Vec::new(),
        transcript: &story.transcript,
        contexts: &[],
        classes: &[],
        sent: &[],
        files: &[],
        window: None,
        settings: Vec::new(),
    };
    assert!(html(&report).ends_with("</html>\n"));
}
