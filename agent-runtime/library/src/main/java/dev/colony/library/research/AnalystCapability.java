package dev.colony.library.research;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.util.ArrayList;
import java.util.List;

/** Holds what a model quoted against the page that it was shown. */
@Registered(AnalystCapability.TYPE)
final class AnalystCapability extends AgentCapability {

  static final String TYPE = "research.quotes";
  static final String CHECK_QUOTES = TYPE + ".check_quotes";

  AnalystCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(summary = "Keeps those quotes that stand on the page as they are quoted.")
  List<Evidence> checkQuotes(
      @Param("the page that was read") String page,
      @Param("what the model quoted from it") List<Quote> quotes,
      @Param("the call whose reply they are") String modelCall) {
    PageId id = new PageId(page);
    VirtualContextPage text =
        agent().pages().pages(List.of(id)).toCompletableFuture().join().getFirst();
    PageLines lines = PageLines.of(text);
    List<Evidence> verified = new ArrayList<>();
    for (Quote quote : quotes) {
      lines
          .find(quote.file(), quote.line(), quote.text())
          .ifPresent(found ->
              verified.add(
                  new Evidence(
                      found.file(),
                      found.line(),
                      found.line(),
                      found.text(),
                      quote.score(),
                      id.value(),
                      agent().id().persistenceId(),
                      modelCall)));
    }
    return verified;
  }
}
