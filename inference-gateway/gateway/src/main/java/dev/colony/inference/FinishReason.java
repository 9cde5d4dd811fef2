package dev.colony.inference;

/** Why a model ended its reply. */
public enum FinishReason {
  /** It had said what it had to say, or came to a text that stops it. */
  STOP,
  /** It came to the bound on its tokens. */
  LENGTH,
  /** It asks for tools. */
  TOOL_CALLS,
  /** The server held the rest back. */
  CONTENT_FILTER
}
