package dev.colony.inference;

/**
 * A part of a reply as it comes. Parts of texts are well-formed; those that an attempt gave before
 * it failed are void with the next {@link Asked}.
 */
public sealed interface InferenceDelta {

  /**
   * A server is being asked; what came before does not count.
   *
   * @param replica which one
   * @param model that it is to answer with
   */
  record Asked(String replica, String model) implements InferenceDelta {}

  /** More of the text. */
  record Text(String text) implements InferenceDelta {}

  /** More of what the server shows of how the model comes to its reply. */
  record Reasoning(String text) implements InferenceDelta {}

  /**
   * More of a tool call.
   *
   * @param index which of the reply's calls, from 0
   * @param id of the call; the same in each part
   * @param name of the tool; the same in each part
   * @param arguments more of the JSON text of the arguments
   */
  record ToolArguments(int index, String id, String name, String arguments)
      implements InferenceDelta {}

  /** The whole reply, checked; nothing follows. */
  record Done(InferenceReply reply) implements InferenceDelta {}
}
