package dev.colony.inference;

/** Whether the model calls a tool. */
public sealed interface ToolChoice {

  /** As it thinks fit. */
  ToolChoice AUTO = new Auto();

  /** It must not. */
  ToolChoice NONE = new None();

  /** It must call one. */
  ToolChoice REQUIRED = new Required();

  record Auto() implements ToolChoice {}

  record None() implements ToolChoice {}

  record Required() implements ToolChoice {}

  /** It must call this one. */
  record Named(String tool) implements ToolChoice {}
}
