//! The recorded run of 26 turns, and the vectors executed against the Python runner.

use super::*;

fn turn(input: u64, output: u64, ending: Ending) -> Turn {
    Turn { usage: SdkUsage { input, output, ..SdkUsage::default() }, ending }
}

fn threshold(tokens: u64) -> CompactionControl {
    CompactionControl { context_token_threshold: tokens, ..CompactionControl::default() }
}

const TEXT: Summary = Summary {
    usage: SdkUsage { input: 1, cache_creation: None, cache_read: None, output: 1 },
    begins_with_text: true,
};

fn play(control: &CompactionControl, turns: &[Turn], summaries: &[Summary]) -> Trace {
    run(control, 1, LastMessage::User, turns, summaries)
}

fn shape(trace: &Trace) -> Vec<(char, usize)> {
    trace
        .calls
        .iter()
        .map(|call| match call {
            Call::Normal { messages } => ('n', *messages),
            Call::Summary { messages, .. } => ('s', *messages),
        })
        .collect()
}

/// The cookbook's recorded run: input, output, messages sent.
const RECORDED: [(u64, u64, usize); 26] = [
    (1537, 57, 1),
    (1755, 108, 3),
    (1906, 88, 5),
    (2216, 84, 7),
    (2364, 89, 9),
    (2516, 332, 11),
    (2898, 67, 13),
    (3090, 56, 15),
    (3325, 97, 17),
    (3465, 90, 19),
    (3801, 84, 21),
    (3949, 89, 23),
    (4101, 368, 25),
    (4519, 67, 27),
    (4711, 57, 29),
    (4934, 97, 31),
    (1774, 94, 1),
    (1906, 95, 3),
    (2365, 431, 5),
    (3164, 60, 7),
    (3383, 160, 9),
    (3872, 447, 11),
    (4687, 64, 13),
    (4914, 160, 15),
    (2077, 496, 1),
    (2942, 438, 3),
];

#[test]
fn the_recorded_run_of_26_turns() {
    let turns: Vec<Turn> = RECORDED
        .iter()
        .enumerate()
        .map(|(index, &(input, output, _))| {
            turn(input, output, if index == 25 { Ending::Answer } else { Ending::Calls(1) })
        })
        .collect();
    let trace = play(&threshold(5_000), &turns, &[TEXT, TEXT]);
    assert_eq!((trace.yields, trace.input, trace.output), (26, 82_171, 4_275));
    assert_eq!(trace.end, RunEnd::Answered);
    let sent: Vec<usize> = trace
        .calls
        .iter()
        .filter_map(|call| if let Call::Normal { messages } = call { Some(*messages) } else { None })
        .collect();
    assert_eq!(sent, RECORDED.map(|(_, _, messages)| messages));
    let compactions: Vec<(usize, u64)> = trace
        .calls
        .iter()
        .filter_map(
            |call| if let Call::Summary { messages, used } = call { Some((*messages, *used)) } else { None },
        )
        .collect();
    assert_eq!(compactions, [(32, 5_031), (16, 5_074)], "the history and the prompt");
}

#[test]
fn the_executed_vectors() {
    let control = threshold(100);
    let calls = |input, output| turn(input, output, Ending::Calls(1));
    let answer = |input, output| turn(input, output, Ending::Answer);

    let trace = play(&control, &[calls(50, 49), answer(10, 1)], &[]);
    assert_eq!((shape(&trace), trace.yields, trace.tool_runs), (vec![('n', 1), ('n', 3)], 2, 1));

    let dropped = vec![('n', 1), ('n', 3), ('s', 4), ('n', 1)];
    let trace = play(&control, &[calls(10, 5), calls(60, 40), answer(10, 1)], &[TEXT]);
    assert_eq!((shape(&trace), trace.yields, trace.tool_runs), (dropped.clone(), 3, 1));
    let trace = play(&control, &[calls(10, 5), answer(90, 10), answer(10, 1)], &[TEXT]);
    assert_eq!((shape(&trace), trace.yields, trace.tool_runs), (dropped, 3, 1));

    let cached = SdkUsage { input: 10, cache_creation: Some(35), cache_read: Some(50), output: 5 };
    let cached = Turn { usage: cached, ending: Ending::Calls(1) };
    let trace = play(&control, &[cached, answer(10, 1)], &[TEXT]);
    assert_eq!((shape(&trace), trace.yields, trace.tool_runs), (vec![('n', 1), ('s', 2), ('n', 1)], 2, 0));

    let trace = play(&control, &[turn(200, 1, Ending::Refusal)], &[TEXT]);
    assert_eq!((shape(&trace), trace.yields, trace.end), (vec![('n', 1)], 1, RunEnd::Refused));

    let no_text = Summary { begins_with_text: false, ..TEXT };
    let trace = play(&control, &[calls(200, 1)], &[no_text]);
    assert_eq!(
        (shape(&trace), trace.yields, trace.end),
        (vec![('n', 1), ('s', 2)], 1, RunEnd::SummaryIsNoText)
    );

    let limited = CompactionControl { max_iterations: Some(1), ..control.clone() };
    let trace = play(&limited, &[calls(200, 1), answer(1, 1)], &[TEXT]);
    assert_eq!((shape(&trace), trace.yields, trace.end), (vec![('n', 1), ('s', 2)], 1, RunEnd::LimitReached));

    let trace = play(&control, &[calls(200, 1), calls(200, 1), answer(1, 1)], &[TEXT, TEXT]);
    assert_eq!(shape(&trace), [('n', 1), ('s', 2), ('n', 1), ('s', 2), ('n', 1)]);
    assert_eq!((trace.yields, trace.tool_runs), (3, 0));
}

#[test]
fn the_threshold_itself_compacts() {
    for (used, compacts) in [(99, false), (100, true), (101, true)] {
        let trace =
            play(&threshold(100), &[turn(used, 0, Ending::Answer), turn(1, 0, Ending::Answer)], &[TEXT]);
        assert_eq!(trace.calls.len() == 3, compacts, "{used}");
    }
}

#[test]
fn tools_of_the_server_are_counted_more_than_once() {
    let usage = SdkUsage { input: 63_000, cache_creation: Some(0), cache_read: Some(270_000), output: 1_400 };
    assert_eq!(usage.used(), 334_400, "the documentation's example, of a context of about 63,000");
}

#[test]
fn typescript_checks_a_refusal_too() {
    let control = CompactionControl { language: SdkLanguage::TypeScript, ..threshold(100) };
    let trace = play(&control, &[turn(200, 1, Ending::Refusal), turn(1, 1, Ending::Answer)], &[TEXT]);
    assert_eq!(shape(&trace), [('n', 1), ('s', 2), ('n', 1)]);
}

#[test]
fn an_assistants_last_message_loses_its_calls() {
    let turns = [turn(200, 1, Ending::Calls(1)), turn(1, 1, Ending::Answer)];
    let sent = |last| shape(&run(&threshold(100), 2, last, &turns, &[TEXT]))[1];
    assert_eq!(sent(LastMessage::Assistant { other_blocks: 1 }), ('s', 3));
    assert_eq!(sent(LastMessage::Assistant { other_blocks: 0 }), ('s', 2));
}

#[test]
fn a_disabled_control_does_nothing() {
    let control = CompactionControl { enabled: false, ..threshold(1) };
    let trace = play(&control, &[turn(200, 1, Ending::Answer)], &[]);
    assert_eq!(shape(&trace), [('n', 1)]);
}
