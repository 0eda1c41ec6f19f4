//! What the Context lab opens on: the answer, the recommended setting, and the row of what ran.

use retrace_api::commands;
use retrace_api::wire::{
    ContextShow, ContextShowReq, DeployedReq, RecommendReq, Recommendation, RunOrder, SimulateReq, SweepReq,
    TranscriptsReq, Variant,
};
use retrace_tests::World;
use serde_json::{Value, json};

/// Tokens of the context that each request of [`run`] adds.
const GROWTH: u64 = 1_500;

/// A proxy log of one conversation: every request as it was sent, and the response to it. Each round reads a file; the last
/// request reads the first one again. With a setting, the requests carry it and the responses report what `cleared` gives for
/// the number of results so far.
fn run(rounds: usize, setting: Option<&Value>, cleared: impl Fn(usize) -> (u64, u64)) -> String {
    let mut lines = Vec::new();
    let mut messages = vec![json!({"role": "user", "content": "Read them all."})];
    for round in 0..=rounds {
        let (uses, freed) = cleared(round);
        let context = 9_000 + GROWTH * round as u64 - freed;
        let mut body = json!({"model": "claude-opus-4-8", "max_tokens": 4096, "system": "You read files.",
            "tools": [{"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}],
            "messages": messages});
        if let Some(setting) = setting {
            body["context_management"] = setting.clone();
        }
        let path = format!("/w/file{}.rs", if round == rounds { 0 } else { round });
        let id = format!("toolu_{round:03}");
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}});
        let content =
            if round == rounds { json!([{"type": "text", "text": "Done."}]) } else { json!([call]) };
        let mut response = json!({"id": format!("msg_{round:03}"), "type": "message", "role": "assistant",
            "model": "claude-opus-4-8", "content": content, "stop_reason": "end_turn",
            "usage": {"input_tokens": 40, "cache_read_input_tokens": context - 540, "cache_creation_input_tokens": 500,
                "output_tokens": 30}});
        if setting.is_some() {
            let edit = json!({"type": "clear_tool_uses_20250919", "cleared_tool_uses": uses, "cleared_input_tokens": freed});
            let edits = if uses > 0 { vec![edit] } else { Vec::new() };
            response["context_management"] = json!({ "applied_edits": edits });
        }
        lines.push(json!({"request": {"body": body}, "response": {"body": response}}).to_string());
        messages.push(json!({"role": "assistant", "content": response["content"]}));
        let text = format!("fn file{round}() {{}} ").repeat(230);
        messages.push(
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}),
        );
    }
    lines.join("\n") + "\n"
}

fn nothing(_: usize) -> (u64, u64) {
    (0, 0)
}

struct Opened {
    world: World,
    path: String,
}

fn opened(text: &str) -> Opened {
    let world = World::new();
    let path = world.path("run.jsonl");
    std::fs::write(&path, text).expect("a file");
    Opened { path: path.display().to_string(), world }
}

impl Opened {
    fn show(&self) -> ContextShow {
        let request = ContextShowReq { transcript: self.path.clone() };
        commands::context_show(&self.world.app, request).expect("an answer")
    }

    fn recommend(&self) -> Recommendation {
        let request = RecommendReq { transcript: self.path.clone(), ..RecommendReq::default() };
        commands::context_recommend(&self.world.app, request).expect("an answer")
    }
}

#[test]
fn a_run_opens_on_an_answer_whose_parts_add_up() {
    let opened = opened(&run(40, None, nothing));
    let shown = opened.show();
    for (index, request) in shown.requests.iter().enumerate() {
        let sum: u64 = shown.parts.iter().map(|part| part.tokens[index]).sum();
        assert_eq!(sum, request.context, "request {index}");
    }
    let (answer, peak) = (shown.answer.expect("a request"), shown.peak.expect("a request"));
    assert_eq!((answer.request, answer.tokens, answer.said), (peak.request, 69_000, 69_000));
    let said: u64 = answer.parts.iter().map(|part| part.said).sum();
    assert_eq!(said + answer.rest.map_or(0, |rest| rest.said), answer.said);
    assert_eq!(answer.parts[0].tool.as_deref(), Some("Read"), "the largest first");
    assert!(answer.parts.is_sorted_by(|one, other| one.tokens >= other.tokens));
    assert!(shown.in_force.is_none());
}

#[test]
fn one_setting_is_recommended_with_its_price_and_why() {
    let opened = opened(&run(60, None, nothing));
    let found = opened.recommend();
    assert_eq!((found.tried, found.points.len()), (24, 25));
    assert!(found.baseline.baseline && found.points[0].baseline);
    assert_eq!(found.baseline.what.text(), "no editing");
    let best = found.best.expect("a long run of results is worth clearing");
    assert_eq!(best.variant.name, best.what.text());
    // What it says is what a simulation of it says.
    let request = SimulateReq {
        transcript: opened.path.clone(),
        variants: vec![Variant { name: "none".to_owned(), config: json!({}) }, best.variant.clone()],
        ..SimulateReq::default()
    };
    let simulated = commands::context_simulate(&opened.world.app, request).expect("an answer").simulations;
    let (none, with) = (&simulated[0].totals, &simulated[1].totals);
    assert_eq!((with.input, with.regrets, with.peak), (best.input, best.regrets, best.peak));
    assert_eq!(simulated[1].what, best.what);
    let change = found.input_change.expect("input");
    assert!((change - (with.input as f64 / none.input as f64 - 1.0)).abs() < 1e-12 && change < 0.0);
    let saved = found.cost_change_usd.expect("a price");
    assert!((saved - (with.cost_usd.expect("a price") - none.cost_usd.expect("a price"))).abs() < 1e-9);
    assert_eq!(found.read_again, with.regrets);
    assert!(found.why[0].text().starts_with("Of 24 settings tried on this run it costs least: $"));
    // No other setting tried costs less once results read again are paid for.
    let each = none.cost_usd.expect("a price") / 61.0;
    let paid = |cost: Option<f64>, again: u64| cost.expect("a price") + again as f64 * each;
    let least = paid(best.cost_usd, best.regrets);
    for point in &found.points {
        assert!(paid(point.cost_usd, point.regrets) >= least - 1e-9, "{}", point.what);
    }
}

#[test]
fn where_nothing_is_saved_none_is_recommended_and_it_says_why() {
    let short = opened(&run(1, None, nothing)).recommend();
    assert!(short.best.is_none() && short.input_change.is_none() && short.tried == 0);
    assert!(short.why[0].text().starts_with("The largest context is 10,500 tokens."), "{}", short.why[0]);
    assert_eq!(short.points.len(), 1, "what ran");
}

/// The setting in force clears uses beyond the last five once there are more than ten; the server frees a little less than
/// this program counts, and at one request it cleared nothing.
#[test]
fn what_ran_is_a_row_of_its_own_and_reports_are_compared_with_the_forecast() {
    let setting = json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 10}, "keep": {"type": "tool_uses", "value": 5}}]});
    let odd = 15;
    let cleared = |results: usize| match results {
        0..=10 => (0, 0),
        results if results == odd => (0, 0),
        results => (results as u64 - 5, (results as u64 - 5) * 1_300),
    };
    let opened = opened(&run(30, Some(&setting), cleared));
    let shown = opened.show();
    let in_force = shown.in_force.clone().expect("the requests carry it");
    assert_eq!(in_force.what.text(), "as it ran: clear above 10 tool uses, keep 5");
    assert_eq!((in_force.requests, in_force.config["context_management"].clone()), (31, setting.clone()));

    let deployed = DeployedReq { transcript: opened.path.clone(), ..DeployedReq::default() };
    let deployed = commands::context_deployed(&opened.world.app, deployed).expect("an answer");
    assert_eq!((deployed.reporting, deployed.agreeing), (31, 30), "all but the one that cleared nothing");
    let row = |index: u64| deployed.requests.iter().find(|row| row.index == index).expect("a row");
    assert!(row(20).error_percent.is_some_and(f64::is_finite));
    assert_eq!(row(odd as u64).reported, Vec::<Value>::new());

    let request = SimulateReq {
        transcript: opened.path.clone(),
        variants: vec![Variant { name: "none".to_owned(), config: json!({}) }],
        in_force: true,
        ..SimulateReq::default()
    };
    let simulated = commands::context_simulate(&opened.world.app, request.clone()).expect("an answer");
    let ran = simulated.in_force.expect("what ran");
    assert!(ran.in_force && ran.what == in_force.what);
    for (request, recorded) in ran.requests.iter().zip(&shown.requests) {
        assert_eq!(request.after, recorded.context, "request {}", request.index);
    }
    assert_eq!(ran.totals.peak, shown.peak.expect("requests").tokens);
    assert!((ran.totals.cost_usd.expect("a price") - shown.cost_usd.expect("a price")).abs() < 1e-9);
    let none = &simulated.simulations[0].totals;
    assert!(none.input > ran.totals.input && none.peak > ran.totals.peak, "without it, more is sent");
    let unasked = SimulateReq { in_force: false, ..request };
    assert!(commands::context_simulate(&opened.world.app, unasked).expect("an answer").in_force.is_none());

    let request = SweepReq {
        transcripts: vec![opened.path.clone()],
        grid: json!({"edits": []}),
        ..SweepReq::default()
    };
    let swept = commands::context_sweep(&opened.world.app, request).expect("an answer");
    let rows: Vec<(bool, bool, &str)> =
        swept.points.iter().map(|point| (point.baseline, point.in_force, point.what.text())).collect();
    assert_eq!(rows[..2], [(true, true, in_force.what.text()), (false, false, "no editing")]);
    assert_eq!(swept.points[0].input, ran.totals.input);
    let found = opened.recommend();
    assert!(found.baseline.in_force);
    assert_eq!(found.baseline.input, ran.totals.input);
}

#[test]
fn runs_are_sorted_by_cost_peak_or_date() {
    let world = World::new();
    let folder = world.path("home/.claude/projects/p");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, day, input, requests) in [("a", 1, 9_000, 40), ("b", 2, 90_000, 2), ("c", 3, 1_000, 1)] {
        let lines: Vec<String> = (0..requests)
            .map(|at| {
                json!({"type": "assistant", "sessionId": name, "uuid": format!("{name}{at}"), "timestamp":
                    format!("2026-11-0{day}T10:00:00.000Z"), "cwd": "/p", "requestId": format!("{name}{at}"), "message":
                    {"id": format!("{name}{at}"), "role": "assistant", "model": "claude-opus-4-8", "content": [],
                    "usage": {"input_tokens": input, "output_tokens": 1}}})
                .to_string()
            })
            .collect();
        std::fs::write(folder.join(format!("{name}.jsonl")), lines.join("\n") + "\n").expect("a file");
    }
    let ids = |sort| {
        let request = TranscriptsReq { wait: true, sort, ..TranscriptsReq::default() };
        let rows = commands::transcripts(&world.app, request).expect("an answer").transcripts;
        rows.into_iter().map(|row| row.id).collect::<String>()
    };
    assert_eq!(ids(None), "cba");
    assert_eq!(ids(Some(RunOrder::Date)), "cba");
    assert_eq!(ids(Some(RunOrder::Peak)), "bac");
    assert_eq!(ids(Some(RunOrder::Cost)), "abc");
}
