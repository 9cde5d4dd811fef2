package dev.colony.library.policy;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.Rendered;
import dev.colony.agent.stream.ConsciousnessStream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Renders a chat thread: events with the user's context as {@code **User**: message}, actions as
 * {@code **You (Agent)**: output}. The message is the context itself if it is a text, otherwise its
 * field {@code message} or {@code text}, otherwise its JSON; of an output likewise. Entries of
 * which nothing is to be said are left out.
 */
@Registered(
    value = "stream.conversation",
    summary = "A chat thread of the user's messages and the agent's replies.")
public final class ConversationFormatter implements ConsciousnessStreamFormatter {

  /** The context key that {@link #bind()} takes for the user's messages. */
  public static final String USER_CONTEXT_KEY = "user_chat_message";

  private static final String SECTION = "## Conversation";

  /**
   * @param userContextKey under which a handler gives the user's message
   */
  public record Args(String userContextKey) {

    public Args {
      Objects.requireNonNull(userContextKey, "userContextKey");
    }
  }

  private final String userContextKey;

  ConversationFormatter(Args args) {
    this.userContextKey = args.userContextKey();
  }

  public static Blueprint bind() {
    return bind(USER_CONTEXT_KEY);
  }

  public static Blueprint bind(String userContextKey) {
    return Blueprint.bind(ConversationFormatter.class, new Args(userContextKey));
  }

  @Override
  public String format(List<StreamEntry> entries) {
    return format(entries, UnaryOperator.identity());
  }

  @Override
  public String format(List<StreamEntry> entries, UnaryOperator<String> named) {
    String thread =
        entries.stream()
            .flatMap(entry -> line(entry, named).stream())
            .collect(Collectors.joining("\n"));
    return thread.isEmpty() ? "" : SECTION + "\n" + thread;
  }

  private Optional<String> line(StreamEntry entry, UnaryOperator<String> named) {
    return switch (entry.kind()) {
      case StreamEntry.EVENT ->
          said("**User**: ", Rendered.message(entry.content().path(userContextKey)));
      case StreamEntry.ACTION ->
          StreamEntries.success(entry)
              ? said("**You (Agent)**: ", Rendered.message(StreamEntries.output(entry)))
              : said("**You (Agent)**: (failed) ", named.apply(StreamEntries.error(entry)));
      default -> Optional.empty();
    };
  }

  private static Optional<String> said(String who, String what) {
    return what.isBlank() ? Optional.empty() : Optional.of(who + Rendered.entry(what));
  }
}
