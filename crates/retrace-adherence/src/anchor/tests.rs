use super::*;
use serde_json::json;

#[test]
fn the_line_is_the_one_that_asks_the_same_and_not_what_a_comment_or_its_reverse_says() {
    let fields = json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm."});
    let rule = Rule::from_json(&fields).expect("a rule");
    let line = |text: &str| line_of(text, None, &rule, None).map(|(number, _)| number);
    for (text, expected) in [
        ("# Notes\n\n- Use pnpm, never npm.\n", Some(3)),
        ("# Notes\n\nx\n\n- Use pnpm, never npm.\n", Some(5)),
        ("- Prefer pnpm; do not use npm.\n", Some(1)),
        ("- Use pnpm; npm is forbidden here.\n", Some(1)),
        ("<!-- Use pnpm, never npm. -->\n", None),
        ("<!--\nUse pnpm, never npm.\n-->\n- Never use npm.\n", Some(4)),
        ("- Use npm, never pnpm.\n", None),
        ("- Run `npm test` often; do not skip it.\n", None),
        ("- No docs yet. npm is the package manager.\n", None),
        ("- nothing\n", None),
        ("- ~~Use pnpm, never npm.~~\n", None),
        ("```\n- Use pnpm, never npm.\n```\n", None),
        ("> Use pnpm, never npm.\n- Never use npm.\n", Some(2)),
        ("- > Use pnpm, never npm.\n", None),
        ("- Use pnpm, never npm. (no longer)\n- Do not use npm.\n", Some(2)),
    ] {
        assert_eq!(line(text), expected, "{text}");
    }
    // The line that a person confirmed says it, whatever else it says.
    let text = "- In tests only: Use pnpm, never npm.\n";
    assert_eq!(line(text), None);
    let of = |text: &str, line: &str, anywhere: bool| {
        line_of(text, None, &rule, Some(Confirmed { line, anywhere })).is_some()
    };
    assert!(of(text, text.trim(), false));
    // In a block of code later it is an example, unless it was confirmed there.
    let fenced = format!("```\n{text}```\n");
    assert_eq!((of(&fenced, text.trim(), false), of(&fenced, text.trim(), true)), (false, true));
}
