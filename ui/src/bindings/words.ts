// Made by `cargo run -p retrace-api --example bindings` from crates/retrace-findings. Do not edit.
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** What people are told about a rule. */
export type RuleWords = {
/** What it is called. */
name: MessageDescriptor;
/** What it checks; null for the kinds of secrets, which are explained by their names. */
explanation: MessageDescriptor | null;
/** What to do about a finding. */
remedy: MessageDescriptor;
};

/** Every rule by its id. */
export const RULES: Readonly<Record<string, RuleWords>> = {
  "limits/index-cut": {
    name: msg({ context: "rule", message: "index cut" }),
    explanation: msg({ message: "An index (MEMORY.md) is loaded up to 200 lines or 25,000 bytes, front matter and block comments not counted; what follows is never loaded." }),
    remedy: msg({ message: "Move entries below the cut into topic files, or shorten the lines above it." }),
  },
  "limits/index-line": {
    name: msg({ context: "rule", message: "index line" }),
    explanation: msg({ message: "A line of an index should be a short pointer; one of over 200 characters spends what every session pays for." }),
    remedy: msg({ message: "Keep the title and one short hook; move the rest into the topic file." }),
  },
  "limits/instructions-size": {
    name: msg({ context: "rule", message: "instructions size" }),
    explanation: msg({ message: "An instruction file (CLAUDE.md, AGENTS.md, GEMINI.md) of over 40,000 characters is loaded whole into every session." }),
    remedy: msg({ message: "Split it, and import or scope the parts that not every session needs." }),
  },
  "limits/hosted-size": {
    name: msg({ context: "rule", message: "hosted size" }),
    explanation: msg({ message: "A hosted memory store takes at most 102,400 bytes in one memory." }),
    remedy: msg({ message: "Split the file before it goes to a hosted store." }),
  },
  "limits/hosted-path": {
    name: msg({ context: "rule", message: "hosted path" }),
    explanation: msg({ message: "A hosted memory store takes paths of at most 1,024 bytes and 20 segments, in Unicode NFC, without control or format characters." }),
    remedy: msg({ message: "Rename the file before it goes to a hosted store." }),
  },
  "limits/hosted-count": {
    name: msg({ context: "rule", message: "hosted count" }),
    explanation: msg({ message: "A hosted memory store takes at most 2,000 memories." }),
    remedy: msg({ message: "Merge or remove memories before they go to a hosted store." }),
  },
  "limits/view-lines": {
    name: msg({ context: "rule", message: "view lines" }),
    explanation: msg({ message: "The memory tool refuses to show a file of more than 999,999 lines, the empty piece after a final line feed counted." }),
    remedy: msg({ message: "Split the file; the agent cannot open it." }),
  },
  "limits/not-checked": {
    name: msg({ context: "rule", message: "not checked" }),
    explanation: msg({ message: "The file is too large to be read here, or could not be read, and was not checked." }),
    remedy: msg({ message: "Make it smaller or readable, or leave it out with `exclude`." }),
  },
  "links/missing-file": {
    name: msg({ context: "rule", message: "missing file" }),
    explanation: msg({ message: "A link leads to a file that is not in the directory: an agent follows it into an error." }),
    remedy: msg({ message: "Correct the link, or remove the line." }),
  },
  "links/orphan": {
    name: msg({ context: "rule", message: "orphan" }),
    explanation: msg({ message: "A topic file that no index links to is found by nobody." }),
    remedy: msg({ message: "Add a line to the index, or remove the file." }),
  },
  "links/wiki": {
    name: msg({ context: "rule", message: "wiki" }),
    explanation: msg({ message: "A [[link]] names a memory that does not exist." }),
    remedy: msg({ message: "Correct the name, or write the memory." }),
  },
  "links/import": {
    name: msg({ context: "rule", message: "import" }),
    explanation: msg({ message: "An @import of an instruction file leads to nothing, so what it should bring in is missing in every session." }),
    remedy: msg({ message: "Correct the path, or remove the import." }),
  },
  "front-matter/invalid": {
    name: msg({ context: "rule", message: "invalid" }),
    explanation: msg({ message: "The front matter is not valid YAML, or is not closed; programs that pick memories by name and description do not see them." }),
    remedy: msg({ message: "Quote values that hold a colon and a space, a quote or a leading special character; close the block with ---." }),
  },
  "front-matter/unknown-type": {
    name: msg({ context: "rule", message: "unknown type" }),
    explanation: msg({ message: "The type is none of user, feedback, project and reference." }),
    remedy: msg({ message: "Use one of the four types." }),
  },
  "front-matter/name-twice": {
    name: msg({ context: "rule", message: "name twice" }),
    explanation: msg({ message: "Two memories of one directory have the same name, so a [[link]] to it is ambiguous." }),
    remedy: msg({ message: "Rename one, or merge them." }),
  },
  "personal/email": {
    name: msg({ context: "rule", message: "email" }),
    explanation: msg({ message: "An e-mail address of a person." }),
    remedy: msg({ message: "Redact it unless it has to be there; allow your own in the configuration." }),
  },
  "personal/card": {
    name: msg({ context: "rule", message: "card" }),
    explanation: msg({ message: "A payment card number: length, issuer prefix and checksum (Luhn) fit." }),
    remedy: msg({ message: "Redact it, history included." }),
  },
  "hidden/zero-width": {
    name: msg({ context: "rule", message: "zero width" }),
    explanation: msg({ message: "A character without width: a person does not see it, a model reads it." }),
    remedy: msg({ message: "Remove it; its history shows where it came in." }),
  },
  "hidden/bidi": {
    name: msg({ context: "rule", message: "bidi" }),
    explanation: msg({ message: "A control character that changes the order in which text is shown, so that it reads otherwise than it is." }),
    remedy: msg({ message: "Remove it; look at who wrote the line." }),
  },
  "hidden/tag": {
    name: msg({ context: "rule", message: "tag" }),
    explanation: msg({ message: "Tag characters: an invisible alphabet, used to hide instructions." }),
    remedy: msg({ message: "Remove them; look at who wrote the line." }),
  },
  "hidden/control": {
    name: msg({ context: "rule", message: "control" }),
    explanation: msg({ message: "A control character other than tab and line ends." }),
    remedy: msg({ message: "Remove it." }),
  },
  "hidden/other": {
    name: msg({ context: "rule", message: "other" }),
    explanation: msg({ message: "Another character that is not shown: a soft hyphen, a filler, a stray variation selector, a byte that is not UTF-8." }),
    remedy: msg({ message: "Remove it, or save the file as UTF-8." }),
  },
  "hidden/comment": {
    name: msg({ context: "rule", message: "comment" }),
    explanation: msg({ message: "An HTML comment holds sentences that a rendered view does not show." }),
    remedy: msg({ message: "Move the text into sight, or remove it." }),
  },
  "hidden/path": {
    name: msg({ context: "rule", message: "path" }),
    explanation: msg({ message: "A path holds characters that are not seen, or letters of one script that look like those of another." }),
    remedy: msg({ message: "Rename the file." }),
  },
  "hostile/instructions": {
    name: msg({ context: "rule", message: "instructions" }),
    explanation: msg({ message: "Text that speaks to the model to override its instructions or to keep something from the user." }),
    remedy: msg({ message: "Find out who wrote it, roll it back, and look at what else came with it." }),
  },
  "hostile/tool-call": {
    name: msg({ context: "rule", message: "tool call" }),
    explanation: msg({ message: "Text that looks like a part of the conversation's own format: a tool call, a role mark, a system reminder." }),
    remedy: msg({ message: "Rewrite it so that it cannot be taken for one, or roll it back." }),
  },
  "hostile/exfiltration": {
    name: msg({ context: "rule", message: "exfiltration" }),
    explanation: msg({ message: "Text that would send data out: a command that uploads credentials, an address of a request catcher, an image address that carries data." }),
    remedy: msg({ message: "Find out who wrote it, roll it back, and look at what else came with it." }),
  },
  "hostile/remote-code": {
    name: msg({ context: "rule", message: "remote code" }),
    explanation: msg({ message: "A command that runs what an address answers, unseen: an agent that follows the memory runs it." }),
    remedy: msg({ message: "Name the package instead, or a script that is pinned and checked; look at who wrote it." }),
  },
  "hostile/mention": {
    name: msg({ context: "rule", message: "mention" }),
    explanation: msg({ message: "A quotation or a description of text that is aimed at a model, as in a note about prompt injection. It is no injection by itself." }),
    remedy: msg({ message: "Keep it if it is about such text; if it is meant to be followed, roll it back." }),
  },
  "truth/file": {
    name: msg({ context: "rule", message: "file" }),
    explanation: msg({ message: "A memory names a file that the repository does not have." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/script": {
    name: msg({ context: "rule", message: "script" }),
    explanation: msg({ message: "A memory names a script that package.json does not have." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/command": {
    name: msg({ context: "rule", message: "command" }),
    explanation: msg({ message: "A memory names a command whose script, recipe or crate the repository does not have." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/make-target": {
    name: msg({ context: "rule", message: "make target" }),
    explanation: msg({ message: "A memory names a make target that the Makefile does not have." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/package": {
    name: msg({ context: "rule", message: "package" }),
    explanation: msg({ message: "A memory names a scoped package that no package.json depends on." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/branch": {
    name: msg({ context: "rule", message: "branch" }),
    explanation: msg({ message: "A memory names a branch that the repository does not have." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/port": {
    name: msg({ context: "rule", message: "port" }),
    explanation: msg({ message: "A memory names a port that no configuration file of the repository mentions." }),
    remedy: msg({ message: "Correct the memory, or remove what is no longer true." }),
  },
  "truth/date-past": {
    name: msg({ context: "rule", message: "date past" }),
    explanation: msg({ message: "Refers to a future date that has passed." }),
    remedy: msg({ message: "Say what happened, or remove the line." }),
  },
  "use/never-present": {
    name: msg({ context: "rule", message: "never present" }),
    explanation: msg({ message: "No session of the last 30 days had the lines before it, though some could have. Sessions that do not tell what they loaded do not count." }),
    remedy: msg({ message: "Open its reach to see why. Move lines that are cut into a topic; link what nobody opens where it is needed, or remove it." }),
  },
  "similar/near-duplicate": {
    name: msg({ context: "rule", message: "near duplicate" }),
    explanation: msg({ message: "Two memories say nearly the same in the same words." }),
    remedy: msg({ message: "Merge them, and keep one." }),
  },
  "similar/contradiction": {
    name: msg({ context: "rule", message: "contradiction" }),
    explanation: msg({ message: "Two lines say the same of different values, or one says always what the other says never." }),
    remedy: msg({ message: "Find out which is true, and correct the other." }),
  },
  "events/mass-delete": {
    name: msg({ context: "rule", message: "mass delete" }),
    explanation: msg({ message: "Most of a directory's memories, or very many of them, were deleted within a minute." }),
    remedy: msg({ message: "Check who deleted them, and put back what should have stayed." }),
  },
  "events/index-shrank": {
    name: msg({ context: "rule", message: "index shrank" }),
    explanation: msg({ message: "An index lost half of its lines or more in one change: what it linked to is found by nobody any more." }),
    remedy: msg({ message: "Look at the difference; roll the index back if the entries were not moved on purpose." }),
  },
  "events/unknown-writer": {
    name: msg({ context: "rule", message: "unknown writer" }),
    explanation: msg({ message: "Nobody known made the change, in a directory where nearly all other changes have a known writer." }),
    remedy: msg({ message: "Look at what it says before a session reads it; roll it back if nobody can account for it." }),
  },
  "events/redacted-back": {
    name: msg({ context: "rule", message: "redacted back" }),
    explanation: msg({ message: "A memory on disk holds something that was redacted before: somebody wrote it again." }),
    remedy: msg({ message: "Redact it again in file and history, find out who wrote it, and exchange the secret." }),
  },
  "events/race": {
    name: msg({ context: "rule", message: "race" }),
    explanation: msg({ message: "Two sessions wrote the same file at the same time; one of them worked from what the other had replaced." }),
    remedy: msg({ message: "Look at both versions, and put back what was lost." }),
  },
  "secret/private-key": {
    name: msg({ context: "rule", message: "private key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/age-key": {
    name: msg({ context: "rule", message: "age secret key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/anthropic": {
    name: msg({ context: "rule", message: "Anthropic key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/openai": {
    name: msg({ context: "rule", message: "OpenAI key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/openrouter": {
    name: msg({ context: "rule", message: "OpenRouter key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/hugging-face": {
    name: msg({ context: "rule", message: "Hugging Face token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/groq": {
    name: msg({ context: "rule", message: "Groq key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/replicate": {
    name: msg({ context: "rule", message: "Replicate token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/perplexity": {
    name: msg({ context: "rule", message: "Perplexity key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/xai": {
    name: msg({ context: "rule", message: "xAI key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/aws-access-key": {
    name: msg({ context: "rule", message: "AWS access key id" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/aws-secret-key": {
    name: msg({ context: "rule", message: "AWS secret access key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/google-api-key": {
    name: msg({ context: "rule", message: "Google API key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/google-oauth": {
    name: msg({ context: "rule", message: "Google OAuth secret or token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/azure-storage": {
    name: msg({ context: "rule", message: "Azure storage key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/azure-client-secret": {
    name: msg({ context: "rule", message: "Microsoft Entra client secret" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/github": {
    name: msg({ context: "rule", message: "GitHub token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/gitlab": {
    name: msg({ context: "rule", message: "GitLab token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/slack": {
    name: msg({ context: "rule", message: "Slack token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/slack-webhook": {
    name: msg({ context: "rule", message: "Slack webhook" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/discord-webhook": {
    name: msg({ context: "rule", message: "Discord webhook" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/discord-bot": {
    name: msg({ context: "rule", message: "Discord bot token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/telegram-bot": {
    name: msg({ context: "rule", message: "Telegram bot token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/stripe": {
    name: msg({ context: "rule", message: "Stripe key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/square": {
    name: msg({ context: "rule", message: "Square token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/shopify": {
    name: msg({ context: "rule", message: "Shopify token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/sendgrid": {
    name: msg({ context: "rule", message: "SendGrid key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/mailgun": {
    name: msg({ context: "rule", message: "Mailgun key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/mailchimp": {
    name: msg({ context: "rule", message: "Mailchimp key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/twilio": {
    name: msg({ context: "rule", message: "Twilio key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/resend": {
    name: msg({ context: "rule", message: "Resend key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/npm": {
    name: msg({ context: "rule", message: "npm token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/pypi": {
    name: msg({ context: "rule", message: "PyPI token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/crates-io": {
    name: msg({ context: "rule", message: "crates.io token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/rubygems": {
    name: msg({ context: "rule", message: "RubyGems key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/docker-hub": {
    name: msg({ context: "rule", message: "Docker Hub token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/digitalocean": {
    name: msg({ context: "rule", message: "DigitalOcean token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/heroku": {
    name: msg({ context: "rule", message: "Heroku key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/cloudflare-origin": {
    name: msg({ context: "rule", message: "Cloudflare Origin CA key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/flyio": {
    name: msg({ context: "rule", message: "Fly.io token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/supabase": {
    name: msg({ context: "rule", message: "Supabase token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/planetscale": {
    name: msg({ context: "rule", message: "PlanetScale token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/databricks": {
    name: msg({ context: "rule", message: "Databricks token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/vault": {
    name: msg({ context: "rule", message: "HashiCorp token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/doppler": {
    name: msg({ context: "rule", message: "Doppler token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/linear": {
    name: msg({ context: "rule", message: "Linear key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/notion": {
    name: msg({ context: "rule", message: "Notion token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/figma": {
    name: msg({ context: "rule", message: "Figma token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/atlassian": {
    name: msg({ context: "rule", message: "Atlassian token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/airtable": {
    name: msg({ context: "rule", message: "Airtable token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/postman": {
    name: msg({ context: "rule", message: "Postman key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/new-relic": {
    name: msg({ context: "rule", message: "New Relic key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/sentry": {
    name: msg({ context: "rule", message: "Sentry token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/grafana": {
    name: msg({ context: "rule", message: "Grafana token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/tailscale": {
    name: msg({ context: "rule", message: "Tailscale key" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/jwt": {
    name: msg({ context: "rule", message: "JSON Web Token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/bearer": {
    name: msg({ context: "rule", message: "bearer token" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/connection-string": {
    name: msg({ context: "rule", message: "password in a connection string" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/assignment": {
    name: msg({ context: "rule", message: "secret in an assignment" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/password": {
    name: msg({ context: "rule", message: "password in prose" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/field": {
    name: msg({ context: "rule", message: "key by the name of its field" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
  "secret/prefixed-token": {
    name: msg({ context: "rule", message: "token with a prefix" }),
    explanation: null,
    remedy: msg({ message: "Revoke it with its provider, then redact it from the file and its history." }),
  },
};
