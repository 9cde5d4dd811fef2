package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;

/**
 * Lets a planner read on where its prompt was cut: in results of actions, variables, entries of the
 * agent's part of the blackboard, what capabilities let be read, and pages. Where an agent has it,
 * its prompts say so.
 */
@Registered(
    value = "context.fetch",
    namespace = ContextCapability.NAMESPACE,
    summary = "Reads on where something was cut.")
public final class ContextCapability extends AgentCapability {

  /** The part of an agent's scope in which it stands. */
  static final String NAMESPACE = "context";

  private static final String FETCH = "context_fetch";
  private static final int MOST_CHARS = 12_000;

  /**
   * A part of a text.
   *
   * @param text from the character {@code from}, counted from 0, up to before {@code to}
   * @param of characters of the whole
   */
  public record Part(String text, int from, int to, int of) {}

  public ContextCapability(CapabilityContext context) {
    super(context);
  }

  /** Under the key {@code context}. */
  public static CapabilityBlueprint bind() {
    return CapabilityBlueprint.of(Blueprint.bind(ContextCapability.class)).namespace(NAMESPACE);
  }

  @ActionExecutor(
      key = FETCH,
      summary = "Shows more of what was cut: of a value that you refer to, or of a page.",
      tags = "context")
  Part fetch(
      @Param(
              "a reference: $results.ID, $NAME, $children.NAME.KEY, $shared.KEY or"
                  + " $global.CAPABILITY, and a path")
          Optional<JsonNode> value,
      @Param("in its place the id of a page") Optional<String> page,
      @Param(value = "the first character to show, from 0", defaultValue = "0")
          @Range(min = 0, max = Integer.MAX_VALUE)
          Optional<Integer> from,
      @Param(value = "how many characters to show", defaultValue = "4000")
          @Range(min = 1, max = MOST_CHARS)
          Optional<Integer> chars)
      throws InterruptedException {
    if (value.isPresent() == page.isPresent()) {
      throw AgentException.refused("give either a value or a page");
    }
    String whole = value.map(ContextCapability::text).orElse("");
    if (page.isPresent()) {
      whole = page(page.get());
    }
    int start = Math.min(from.orElse(0), whole.length());
    String text =
        Text.head(whole.substring(start), Math.clamp(chars.orElse(MOST_CHARS), 1, MOST_CHARS));
    return new Part(Text.wellFormed(text), start, start + text.length(), whole.length());
  }

  private static String text(JsonNode value) {
    return value.isTextual() ? value.textValue() : value.toString();
  }

  private String page(String id) throws InterruptedException {
    try {
      PageId wanted = new PageId(id);
      return agent().pages().pages(List.of(wanted)).getFirst().text();
    } catch (RuntimeException absent) {
      throw AgentException.refused("the page " + id + " cannot be read: " + Text.message(absent));
    }
  }
}
