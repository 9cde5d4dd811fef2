package dev.colony.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardException;
import dev.colony.cli.CommandOptions.ApiOptions;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.http.HttpColony;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending.BudgetUse;
import dev.colony.inference.Usage;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says what model calls have taken. */
@Command(
    name = "spending",
    description = {
      "Says what the model calls of a tenant have taken, in tokens and money, what its budget is"
          + " and what of it remains.",
      "A node is asked over its HTTP API, so the budgets are those that the nodes hold calls to.",
    })
final class SpendingCommand implements Callable<Integer> {

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
