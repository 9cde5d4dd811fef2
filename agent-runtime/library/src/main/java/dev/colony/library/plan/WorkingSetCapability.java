package dev.colony.library.plan;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.plan.CacheContext.PageUse;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * What an agent is going to read, declared to its colony before it reads it: its pages with their
 * next use, as a lease that ends by itself. Agents of the colony see whose declared pages overlap
 * with theirs. A policy that makes plans declares the working set of each plan where its agent has
 * this capability.
 *
 * <p>The leases stand in the namespace {@value #NAMESPACE} of the colony's scope, one entry for
 * each agent, under its name.
 */
@Registered(
    value = "pages.working-set",
    summary = "Declares the pages that the agent is going to read.")
public final class WorkingSetCapability extends AgentCapability {

  /** Where the leases stand. */
  public static final String NAMESPACE = "working-sets";

  /** Pages that an agent declares, those that most of its actions read first. */
  private static final int MOST_DECLARED = 1_000;

  /** Agents whose declarations are compared. */
  private static final int MOST_AGENTS = 1_000;

  /**
   * How it declares.
   *
   * @param leaseSeconds how long a declaration holds, 1 to 86,400; 600 if absent
   * @param overlap share of the own pages, above 0 to 1, from which another agent is told; 0.25 if
   *     absent
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Lease(Optional<Integer> leaseSeconds, Optional<Double> overlap) {

    public static final Lease DEFAULTS = new Lease(Optional.empty(), Optional.empty());

    public Lease {
      leaseSeconds
          .filter(seconds -> seconds < 1 || seconds > 86_400)
          .ifPresent(seconds -> {
            throw new IllegalArgumentException("leaseSeconds is 1 to 86400, not " + seconds);
          });
      overlap
          .filter(share -> !(share > 0 && share <= 1))
          .ifPresent(share -> {
            throw new IllegalArgumentException("overlap is above 0 to 1, not " + share);
          });
    }
  }

  /**
   * What an agent has declared.
   *
   * @param pages those that most of its actions read first
   * @param idealTokens what all of them take
   */
  public record Declared(String agent, List<PageUse> pages, long idealTokens) {}

  /**
   * An agent whose declared pages overlap with this one's.
   *
   * @param pages that both have declared
   * @param share of this agent's pages that these are, above 0 to 1
   */
  public record Overlap(String agent, List<String> pages, double share) {}

  private final Lease lease;

  public WorkingSetCapability(CapabilityContext context, Lease lease) {
    super(context);
    this.lease = lease;
  }

  /**
   * Declares a plan's working set in place of what the agent declared before; an empty one is a
   * release. Blocks.
   */
  public void declare(CacheContext context) throws InterruptedException {
    if (context.workingSet().isEmpty()) {
      release();
      return;
    }
    List<PageUse> pages = context.workingSet().stream().limit(MOST_DECLARED).toList();
    Declared declared = new Declared(agent().id().name(), pages, context.idealTokens());
    await(
        leases()
            .write(
                Write.of(declared.agent(), JsonValues.toJson(declared))
                    .ttl(Duration.ofSeconds(lease.leaseSeconds().orElse(600)))));
  }

  @ActionExecutor(
      key = "working_set_declare",
      summary = "Tells the colony which pages this agent is going to read, until the lease ends.",
      tags = "pages")
  int declare(@Param("ids of the pages, in the order in which they are read") List<String> pages)
      throws InterruptedException {
    List<PageUse> uses = new ArrayList<>();
    for (String page : pages) {
      uses.add(new PageUse(new PageId(page).value(), 1, uses.size(), 0));
    }
    declare(new CacheContext(uses, pages, Set.of(), new HashSet<>(pages), pages, 0, 0, ""));
    return uses.size();
  }

  @ActionExecutor(
      key = "working_set_release",
      summary = "Takes the declaration back.",
      tags = "pages")
  void release() throws InterruptedException {
    await(leases().delete(agent().id().name()));
  }

  /** Empty where no declared pages overlap enough, or this agent has declared none. */
  @ActionExecutor(
      key = "working_set_overlaps",
      summary = "Shows the agents that are going to read many of the same pages.",
      tags = "pages")
  public List<Overlap> overlaps() throws InterruptedException {
    String self = agent().id().name();
    List<Declared> all = declared();
    Set<String> own = new HashSet<>();
    all.stream()
        .filter(one -> one.agent().equals(self))
        .forEach(one -> one.pages().forEach(use -> own.add(use.page())));
    return all.stream()
        .filter(one -> !one.agent().equals(self))
        .map(one -> {
          List<String> both =
              one.pages().stream().map(PageUse::page).filter(own::contains).toList();
          return new Overlap(one.agent(), both, (double) both.size() / Math.max(1, own.size()));
        })
        .filter(one -> one.share() >= lease.overlap().orElse(0.25) && !one.pages().isEmpty())
        .sorted(Comparator.comparingDouble(Overlap::share).reversed().thenComparing(Overlap::agent))
        .toList();
  }

  private List<Declared> declared() throws InterruptedException {
    EntryPage page = await(leases().query(Query.keys("*").limit(MOST_AGENTS)));
    return page.entries().stream().map(WorkingSetCapability::declared).toList();
  }

  private static Declared declared(Entry entry) {
    JsonNode json = entry.value();
    return (Declared) JsonValues.read(json, Declared.class);
  }

  private Blackboard leases() {
    return agent()
        .blackboard(
            Scope.colony(agent().id().tenant(), agent().id().colony()).namespace(NAMESPACE));
  }

  private static <T> T await(CompletionStage<T> stage) {
    try {
      return Await.result(stage);
    } catch (RuntimeException failure) {
      throw new AgentException("declared pages: " + failure.getMessage(), failure, true);
    }
  }
}
