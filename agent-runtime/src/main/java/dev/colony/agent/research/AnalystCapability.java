package dev.colony.agent.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ActionContext;
import dev.colony.agent.ActionExecutor;
import dev.colony.agent.AgentCapability;
import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityContext;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Holds what a model quoted against the page that it was shown. */
final class AnalystCapability implements AgentCapability {

  static final String TYPE = "research.quotes";
  static final String CHECK_QUOTES = "check_quotes";

  private final PageStore pages;

  AnalystCapability(CapabilityContext context) {
    pages = context.pages();
  }

  @Override
  public Map<String, ActionExecutor> actions() {
    return Map.of(CHECK_QUOTES, this::checkQuotes);
  }

  private JsonNode checkQuotes(ActionContext context, JsonNode params) {
    if (params.hasNonNull("unread")) {
      throw AgentException.refused(params.path("unread").asText());
    }
    PageId id = new PageId(params.path("page").asText());
    VirtualContextPage page = pages.pages(List.of(id)).toCompletableFuture().join().getFirst();
    PageLines lines = PageLines.of(page);
    List<Evidence> verified = new ArrayList<>();
    for (JsonNode quote : params.path("quotes")) {
      lines
          .find(
              quote.path("file").asText(), quote.path("line").asInt(), quote.path("text").asText())
          .ifPresent(found ->
              verified.add(
                  new Evidence(
                      found.file(),
                      found.line(),
                      found.text(),
                      quote.path("score").asDouble(),
                      id.value(),
                      context.agent().persistenceId(),
                      params.path("modelCall").asText())));
    }
    return Json.of(verified);
  }
}
