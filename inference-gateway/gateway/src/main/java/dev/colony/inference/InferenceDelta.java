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
   * @param verbatim whether the parts of the text stand so in the reply; else they are what the
   *     server writes, from which the reply is made: JSON that is checked and may be brought to
   *     another form, or a tool call that is told of as text
   */
  record Asked(String replica, String model, boolean verbatim) implements InferenceDelta {

    /** One whose text stands so in the reply. */
    public Asked(String replica, String model) {
      this(replica, model, true);
    }
  }

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
