import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { fireEvent, render, screen } from "@testing-library/react";
import { beforeAll, expect, it, vi } from "vitest";
import { InboxList } from "./InboxList";

beforeAll(() => {
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  i18n.loadAndActivate({ locale: "en", messages: {} });
});

it("goes on for who waits at the end, as soon as more can be asked for", () => {
  const list = (onEnd: (() => void) | undefined) => (
    <I18nProvider i18n={i18n}>
      <InboxList
        rows={[]}
        items={[]}
        total={0}
        chosen={null}
        onChoose={vi.fn()}
        storeName={() => null}
        menu={() => null}
        onEnd={onEnd}
      />
    </I18nProvider>
  );
  const first = vi.fn();
  const { rerender } = render(list(first));
  expect(first, "who has not scrolled waits for nothing").not.toHaveBeenCalled();
  const scroller = screen.getByTestId("inbox-list");
  scroller.scrollTop = 40;
  rerender(list(undefined));
  fireEvent.scroll(scroller);
  const later = vi.fn();
  rerender(list(later));
  expect(later).toHaveBeenCalledOnce();
});
