package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.schema.JsonValues;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Which pages agents ask to have kept in caches, as leases: the entry of each agent, under its
 * name, in the namespace {@value #NAMESPACE} of the colony's scope. An entry ends with its last
 * lease. A scheduler of caches reads them with {@link #all}. Blocks; thread-safe.
 *
 * @param leases the namespace's part of the blackboard
 */
public record PagePins(Blackboard leases, PageSettings settings) {

  /** Where the leases stand. */
  public static final String NAMESPACE = "page-pins";

  /** That a page is to stay in a cache until then. */
  public record Pin(String page, Instant until) {}

  /** The pins of an agent. */
  public record Pins(String agent, List<Pin> pins) {
    public Pins {
      pins = List.copyOf(pins);
    }

    private Pins at(Instant now) {
      return new Pins(agent, pins.stream().filter(one -> one.until().isAfter(now)).toList());
    }

    private boolean has(String page) {
      return pins.stream().anyMatch(one -> one.page().equals(page));
    }
  }

  /**
   * Pins pages of an agent, those that it has pinned anew.
   *
   * @return all that it has pinned now
   * @throws AgentException if they come to more than an agent may have pinned; then none is
   */
  public Pins pin(String agent, Set<String> pages, Duration longest) throws InterruptedException {
    Instant now = leases.clock().instant();
    Instant until = now.plus(longest);
    return await(
        leases.transaction(tx ->
            standing(tx, agent, now)
                .thenCompose(standing -> {
                  List<Pin> pins = new ArrayList<>();
                  standing.pins().stream()
                      .filter(one -> !pages.contains(one.page()))
                      .forEach(pins::add);
                  pages.stream().sorted().forEach(page -> pins.add(new Pin(page, until)));
                  if (pins.size() > settings.pins()) {
                    throw AgentException.refused(
                        "%d pages would be pinned, but colony.agent.page.pins is %d: release some"
                            .formatted(pins.size(), settings.pins()));
                  }
                  return stored(tx, new Pins(agent, pins), now);
                })));
  }

  /**
   * Releases pages of an agent.
   *
   * @return all that it has pinned still
   */
  public Pins release(String agent, Set<String> pages) throws InterruptedException {
    Instant now = leases.clock().instant();
    return await(
        leases.transaction(tx ->
            standing(tx, agent, now)
                .thenCompose(standing ->
                    pages.stream().noneMatch(standing::has)
                        ? CompletableFuture.completedStage(standing)
                        : stored(
                            tx,
                            new Pins(
                                agent,
                                standing.pins().stream()
                                    .filter(one -> !pages.contains(one.page()))
                                    .toList()),
                            now))));
  }

  /** Releases all that an agent has pinned. */
  public void releaseAll(String agent) throws InterruptedException {
    await(leases.delete(agent));
  }

  /** What the agents of the colony have pinned now. */
  public List<Pins> all() throws InterruptedException {
    Instant now = leases.clock().instant();
    return await(leases.query(Query.keys("*").limit(settings.declaringAgents()))).entries().stream()
        .map(PagePins::pins)
        .map(one -> one.at(now))
        .filter(one -> !one.pins().isEmpty())
        .toList();
  }

  private static CompletionStage<Pins> standing(Transaction tx, String agent, Instant now) {
    return tx.read(agent)
        .thenApply(found -> found.map(PagePins::pins).orElse(new Pins(agent, List.of())).at(now));
  }

  private static CompletionStage<Pins> stored(Transaction tx, Pins pins, Instant now) {
    CompletionStage<Void> written =
        pins.pins().stream()
            .map(Pin::until)
            .max(Instant::compareTo)
            .map(last ->
                tx.write(
                    Write.of(pins.agent(), JsonValues.toJson(pins))
                        .ttl(Duration.between(now, last))))
            .orElseGet(() -> tx.delete(pins.agent()));
    return written.thenApply(done -> pins);
  }

  private static Pins pins(Entry entry) {
    return (Pins) JsonValues.read(entry.value(), Pins.class);
  }

  private static <T> T await(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof AgentException refused) {
        throw refused;
      }
      throw new AgentException(
          "the pins of the colony: " + failure.getCause().getMessage(), failure.getCause(), true);
    }
  }
}
