package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Scope;
import dev.colony.cli.CommandOptions.ApiOptions;
import dev.colony.cli.CommandOptions.ColonyFilter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.PurgeOptions;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Table;
import dev.colony.client.http.HttpColony;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending.BudgetUse;
import dev.colony.inference.Usage;
import dev.colony.node.runtime.EndedAgents.EndedRuns;
import dev.colony.server.AgentsReader;
import dev.colony.server.RunList;
import dev.colony.server.RunList.ListedRun;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "runs",
    description = {
      "Lists runs, the newest first: state, age, time, tokens, and what was asked.",
      "Where nothing is up, the list is read from what is stored in the state directory.",
    },
    subcommands = RunsCommand.Purge.class)
final class RunsCommand extends StoreCommand {

  private static final int WHAT = 100;

  @Mixin private ColonyFilter of;

  @Option(
      names = "--all",
      description = "Lists the runs that agents have asked other agents for, too.")
  private boolean all;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many at most, 1 to 10000 (default: ${DEFAULT-VALUE}).")
  private int limit;

  /** What {@code --json} prints. */
  record Listed(List<ListedRun> runs) {}

  @Override
  public Integer call() {
    CommandOptions.checkLimit(limit);
    AtomicReference<Instant> now = new AtomicReference<>();
    List<ListedRun> runs =
        board
            .withStored((view, up) -> {
              now.set(view.now());
              return view.runs(of.tenant, of.colony, all, limit).stream()
                  .map(run -> run.endedAt().isPresent() ? run : unended(run, up))
                  .toList();
            })
            .orElse(List.of());
    return json.page(
        new Listed(runs), runs, "no runs", all -> table(all, now.get()), Optional.empty());
  }

  private ListedRun unended(ListedRun run, boolean up) {
    if (!up) {
      return waiting(run, "no node is up", asked(run) ? resume(run) : "colony up");
    }
    return asked(run) && board.lone(run.runId())
        ? waiting(run, "it began without this cluster", resume(run))
        : run;
  }

  private static String resume(ListedRun run) {
    return "colony run --resume " + run.runId();
  }

  private static ListedRun waiting(ListedRun run, String why, String next) {
    return new ListedRun(
        run.runId(),
        run.agentId(),
        run.namespace(),
        RunList.RunStatus.WAITING,
        run.input(),
        run.askedAt(),
        run.endedAt(),
        Optional.of(why + ": " + next + " goes on with it"),
        run.stats());
  }

  /** Whether it is a question of {@code colony run}. */
  private static boolean asked(ListedRun run) {
    return Asking.coordinator(run.runId()).equals(run.agentId());
  }

  private static String table(List<ListedRun> runs, Instant now) {
    Table table = new Table("run", "state", "asked", "took", "tokens", "what");
    for (ListedRun run : runs) {
      long tokens = run.stats().usage().promptTokens() + run.stats().usage().completionTokens();
      table.row(
          run.runId(),
          run.status().name().toLowerCase(Locale.ROOT),
          ago(Duration.between(run.askedAt(), now)),
          run.endedAt().map(end -> took(Duration.between(run.askedAt(), end))).orElse(""),
          tokens == 0 ? "" : tokens < 1_000 ? tokens : "%.1f k".formatted(tokens / 1e3),
          Printable.beginning(what(run), WHAT));
      run.why().ifPresent(why -> table.note(Printable.beginning(why, WHAT)));
    }
    return table.text();
  }

  /** The question, else the agent and what it was asked. */
  private static String what(ListedRun run) {
    JsonNode input = run.input();
    String text =
        Stream.of(input, input.path("text"), input.path("question"), input.path("goal"))
            .filter(JsonNode::isTextual)
            .map(JsonNode::asText)
            .findFirst()
            .orElse(input.isNull() ? "" : input.toString());
    return asked(run) ? text : (run.agentId().persistenceId() + "  " + text).strip();
  }

  private static String ago(Duration age) {
    if (age.toMinutes() < 1) {
      return Math.max(0, age.toSeconds()) + " s ago";
    }
    return age.toHours() < 1
        ? age.toMinutes() + " min ago"
        : age.toDays() < 2 ? age.toHours() + " h ago" : age.toDays() + " days ago";
  }

  private static String took(Duration length) {
    long seconds = Math.max(0, length.toSeconds());
    return seconds < 120 ? seconds + " s" : seconds / 60 + " min";
  }

  @Command(
      name = "purge",
      description = {
        "Deletes the requests, the results and what was made known of runs that have ended. It"
            + " cannot be taken back, and their idempotency keys are free again.",
        "Runs without a result are not touched; journals and sessions neither.",
      })
  static final class Purge extends StoreCommand {

    /** What {@code --json} prints. */
    record Purged(long purged, boolean dryRun) {}

    @Mixin private PurgeOptions options;

    @Override
    public Integer call() {
      if (!options.ofColonies()) {
        throw CommandFailure.badInput("give --tenant, --colony or both");
      }
      long purged = board.withAgents(this::purge);
      return json.print(
          new Purged(purged, options.dryRun), () -> options.done() + purged + " runs");
    }

    private long purge(AgentsReader view) {
      LongAdder purged = new LongAdder();
      options.<Scope>eachPage(
          view,
          (colony, after) -> {
            EndedRuns.Page page =
                view.purging()
                    .runs(
                        colony.tenant(),
                        colony.colony().orElseThrow(),
                        after,
                        options.olderThan(),
                        options.dryRun);
            purged.add(page.runs());
            return page.next();
          });
      return purged.sum();
    }
  }

  @Command(
      name = "spending",
      description = {
        "Says what the model calls of a tenant have taken, in tokens and money, what its budget is"
            + " and what of it remains.",
        "A node is asked over its HTTP API, so the budgets are those that the nodes hold calls to.",
      })
  static final class SpendingCommand implements Callable<Integer> {

    /** Each node is asked once; where one does not answer, the next is asked. */
    private static final String AT_ONCE = "colony.agent.http.give-up = 0 s";

    @Parameters(paramLabel = "TENANT", description = "Whose calls.")
    private String tenant;

    @Option(
        names = "--session",
        paramLabel = "SESSION",
        description = "Says what the calls of this session have taken, too.")
    private Optional<String> session = Optional.empty();

    @Mixin private JsonOption json;

    @Mixin private ApiOptions api;

    @Override
    public Integer call() {
      TenantSpending spending = ask(api.nodes().iterator());
      return json.print(
          spending,
          () ->
              Stream.concat(
                      lines(
                          "tenant %s in %s%s"
                              .formatted(
                                  spending.tenant(),
                                  spending.period(),
                                  spending.endsAt().map(end -> ", until " + end).orElse("")),
                          spending.inPeriod()),
                      spending.session().stream()
                          .flatMap(use -> lines("session " + session.orElseThrow(), use)))
                  .collect(Collectors.joining("\n")));
    }

    private TenantSpending ask(Iterator<URI> nodes) {
      Config config =
          ConfigFactory.parseString(AT_ONCE).withFallback(CommandConfig.base(Optional.empty()));
      URI node = nodes.next();
      try {
        return BoardOptions.refusing(
                () -> HttpColony.spending(node, api.key().orElse(""), config, tenant, session))
            .join();
      } catch (CompletionException failure) {
        if (!(failure.getCause() instanceof BlackboardException silent)) {
          throw failure;
        }
        if (nodes.hasNext()) {
          return ask(nodes);
        }
        throw CommandFailure.unsuccessful(silent.getMessage(), silent);
      }
    }

    private static Stream<String> lines(String whose, BudgetUse use) {
      Usage usage = use.spent().usage();
      String spent =
          use.spent().calls() == 0
              ? whose + ": nothing is spent"
              : "%s: %,d tokens (prompt %,d, of these cached %,d, completion %,d) in %,d completion%s, cost %s"
                  .formatted(
                      whose,
                      use.spent().tokens(),
                      usage.promptTokens(),
                      usage.cachedTokens(),
                      usage.completionTokens(),
                      use.spent().calls(),
                      use.spent().calls() == 1 ? "" : "s",
                      use.spent().cost().toPlainString());
      List<String> limits = new ArrayList<>();
      use.limit()
          .tokens()
          .ifPresent(most ->
              limits.add(
                  "  limit %,d tokens, %,d remain"
                      .formatted(most, use.remaining().tokens().orElseThrow())));
      use.limit()
          .cost()
          .ifPresent(most ->
              limits.add(
                  "  limit a cost of %s, %s remains"
                      .formatted(
                          most.toPlainString(),
                          use.remaining().cost().orElseThrow().toPlainString())));
      return Stream.concat(
          Stream.of(Printable.of(spent)),
          use.limit().bounded() ? limits.stream() : Stream.of("  no limit"));
    }
  }
}
