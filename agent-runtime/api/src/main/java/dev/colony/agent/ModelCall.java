package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ModelChoice;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;

/**
 * A model call as a policy asks for it: pages by name, fetched where the agent runs.
 *
 * @param preamble the system message; constant per policy, since cached prefixes hang on it
 * @param pages in the order in which they stand in the prompt
 * @param suffix what is asked about them
 * @param schema JSON schema that the reply must satisfy; empty for free text
 * @param maxTokens bound on the reply
 * @param model that is to answer; empty for the one of the agent's blueprint
 */
public record ModelCall(
    String preamble,
    List<PageId> pages,
    String suffix,
    Optional<JsonNode> schema,
    int maxTokens,
    Optional<ModelChoice> model) {

  public ModelCall {
    pages = List.copyOf(pages);
  }

  /** A call of the agent's model. */
  public ModelCall(
      String preamble,
      List<PageId> pages,
      String suffix,
      Optional<JsonNode> schema,
      int maxTokens) {
    this(preamble, pages, suffix, schema, maxTokens, Optional.empty());
  }

  /** The same call of another model than the agent's. */
  public ModelCall model(ModelChoice choice) {
    return new ModelCall(preamble, pages, suffix, schema, maxTokens, Optional.of(choice));
  }
}
