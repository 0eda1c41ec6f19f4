/** Memories to walk through. Invented; the secret looks like one and is none. */

/** A key as agents note it down. Put together here so that no scanner takes this file for a leak. */
export const SECRET = ["sk", "live", "9vQ2mT7xKd4RbW8nZs3LpY6c"].join("_");

/** Files of a shop's memory directory. */
export const WEBSHOP = {
  "MEMORY.md": `# Webshop

- [Checkout conventions](checkout-conventions.md) — how payment calls are made
- [Payment webhooks](payment-webhooks.md) — endpoint, retries, signing key
- [Testing](testing.md) — what is flaky and why
`,
  "checkout-conventions.md": `---
name: checkout-conventions
description: How the checkout talks to the payment service
metadata:
  type: feedback
---

# Checkout conventions

- Retry failed payment calls three times with back-off.
- Components may call \`payments.charge\` directly.
- Amounts are integers in the smallest unit.

**Why:** the payment service answers late on Mondays.
`,
  "payment-webhooks.md": `# Payment webhooks

- The endpoint is \`/hooks/payment\`, one handler for each event type.
- The signing key is ${SECRET} until the launch.
- Events may arrive twice; handlers are idempotent.
`,
  "testing.md": `# Testing

- \`cart.spec.ts\` is flaky when run in parallel; run it with \`--workers=1\`.
- Fixtures live beside the test.
`,
};

/** The conventions after an agent changed its mind. */
export const CHANGED_CONVENTIONS = WEBSHOP["checkout-conventions.md"]
  .replace("- Retry failed payment calls three times with back-off.", "- Never retry failed payment calls with back-off.")
  .replace("- Components may call `payments.charge` directly.", "- Components never call `payments.charge` directly; they go through `useCheckout`.");

/** Files of an infrastructure project's memory directory. */
export const INFRA = {
  "MEMORY.md": `# Infrastructure

- [Deploys](deploys.md) — when and how
`,
  "deploys.md": `# Deploys

- Deploy from \`main\` only, on weekdays before 16:00.
- The staging cluster is rebuilt every night.
`,
};
