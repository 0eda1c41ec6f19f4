//! Model ids, as vendors, clouds and clients write them, to one form.

/// Prefixes that clouds and routers put before an id.
const PREFIXES: [&str; 7] = ["us.", "eu.", "apac.", "jp.", "au.", "global.", "us-gov."];

/// The id in lower case with hyphens, without the names of clouds and routers, a date, a version of the cloud's own or a
/// size of window: `us.anthropic.claude-opus-4-5-20251101-v1:0`, `claude-opus-4-5@20251101`, `anthropic/claude-opus-4.5` and
/// `Claude Opus 4.5[1m]` all become `claude-opus-4-5`.
#[must_use]
pub fn normalised(id: &str) -> String {
    let lower = id.trim().to_lowercase().replace([' ', '_'], "-");
    let mut rest = lower.rsplit('/').next().unwrap_or_default();
    for prefix in PREFIXES {
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    rest = rest.strip_prefix("anthropic.").unwrap_or(rest);
    let rest = rest.split(['[', '@', ':']).next().unwrap_or_default().replace('.', "-");
    let mut rest = rest.as_str();
    // A cloud's version stands after the date, the date after "latest" never.
    for is_noise in [is_cloud_version, is_date, is_alias] {
        if let Some((before, last)) = rest.rsplit_once('-')
            && is_noise(last)
        {
            rest = before;
        }
    }
    rest.to_owned()
}

fn is_cloud_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_date(part: &str) -> bool {
    part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// `latest`, and the `0` of `claude-opus-4-0`.
fn is_alias(part: &str) -> bool {
    part == "latest" || part == "0"
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn one_form_for_every_way_to_write_an_id() {
        for (id, expected) in [
            ("claude-opus-4-5-20251101", "claude-opus-4-5"),
            ("claude-opus-4-6[1m]", "claude-opus-4-6"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
            ("global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
            ("claude-opus-4@20250514", "claude-opus-4"),
            ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
            ("vertex_ai/claude-opus-5@20260801", "claude-opus-5"),
            ("Claude Sonnet 4.6", "claude-sonnet-4-6"),
            ("claude-opus-4-0", "claude-opus-4"),
            ("claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("claude-3-7-sonnet-latest", "claude-3-7-sonnet"),
            ("claude-opus-4-10", "claude-opus-4-10"),
            ("claude-opus-4-6-fast", "claude-opus-4-6-fast"),
            ("", ""),
        ] {
            assert_eq!(normalised(id), expected, "{id}");
        }
    }
}
