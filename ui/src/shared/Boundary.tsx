/**
 * Keeps what fails in one part of the window from taking the rest away. A part that cannot be drawn, or whose code cannot be
 * loaded, is replaced by words that say so.
 */
import { Component, type ReactNode } from "react";

/** Failure of a part, and how to try again. */
export interface Failed {
  /** Thrown value. */
  error: unknown;
  /** Draws the part again. */
  again: () => void;
}

interface BoundaryProps {
  /** Replacement for the part. */
  fallback: (failed: Failed) => ReactNode;
  /** Where this changes, the part is drawn again: it shows something else now. */
  about?: unknown;
  /** Called once when the part fails. */
  onFail?: (error: unknown) => void;
  /** The part. */
  children: ReactNode;
}

interface BoundaryState {
  failed: { error: unknown } | null;
  about: unknown;
}

/** A part of the window that may fail by itself. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: null, about: this.props.about };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failed: { error } };
  }

  static getDerivedStateFromProps(props: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return Object.is(props.about, state.about) ? null : { failed: null, about: props.about };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFail?.(error);
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return this.props.fallback({ error: failed.error, again: () => this.setState({ failed: null }) });
  }
}
