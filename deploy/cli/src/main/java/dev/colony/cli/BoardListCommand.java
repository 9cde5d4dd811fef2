package dev.colony.cli;

import dev.colony.blackboard.Scope;
import dev.colony.cli.board.BoardText;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.board.BoardViews.ScopePage;
import dev.colony.server.board.ScopeContent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists scopes. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists the scopes that were ever written to, with what each holds.")
final class BoardListCommand implements Callable<Integer> {

  @Option(names = "--tenant", paramLabel = "T", description = "Only the scopes of this tenant.")
  private Optional<String> tenant;

  @Mixin private LimitOption limit;

  @Option(
      names = "--after",
      paramLabel = "SCOPE",
      converter = BoardWords.ScopePath.class,
      description = "The last one of the page before.")
  private Optional<Scope> after;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    int most = limit.checked();
    List<ScopeContent> scopes =
        board.with(blackboards -> ScopeContent.list(blackboards, tenant, after, most));
    Optional<String> next =
        scopes.size() < most ? Optional.empty() : Optional.of(scopes.getLast().scope().path());
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(ScopePage.of(scopes, next))));
      return ExitCode.OK.status();
    }
    System.out.println(scopes.isEmpty() ? "no scopes" : BoardText.scopes(scopes));
    next.ifPresent(path -> System.out.println("there may be more: --after " + path));
    return ExitCode.OK.status();
  }
}
