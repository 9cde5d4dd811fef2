package dev.colony.cli;

import dev.colony.blackboard.DeadLetter;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.client.DeadLetters;
import dev.colony.server.AgentViews.DeadLetterPage;
import dev.colony.server.AgentViews.DeadLetterView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "inbox",
    description = "Lists, sends again and drops the dead letters of the inbox.",
    subcommands = {
      InboxCommand.ListThem.class,
      InboxCommand.Show.class,
      InboxCommand.Send.class,
      InboxCommand.Drop.class,
    })
final class InboxCommand {

  private static final class Of {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        description = "Only letters for agents of this tenant.")
    private Optional<String> tenant;

    DeadLetter find(DeadLetters letters, String name) {
      return join(() -> letters.find(tenant, name))
          .orElseThrow(() -> CommandFailure.unsuccessful("there is no dead letter " + name));
    }
  }

  private static <T> T join(Supplier<CompletionStage<T>> call) {
    return BoardOptions.refusing(call).toCompletableFuture().join();
  }

  @Command(
      name = "list",
      description = "Lists dead letters, bucket by bucket and the oldest first.")
  static final class ListThem extends StoreCommand {

    @Mixin private Of of;

    @Mixin private LimitOption limit;

    @Option(
        names = "--after",
        paramLabel = "LETTER",
        description = "What the page before ended with.")
    private Optional<String> after;

    @Override
    public Integer call() {
      int most = limit.checked();
      DeadLetters.Page page =
          board.with(
              blackboards -> join(() -> new DeadLetters(blackboards).list(of.tenant, after, most)));
      return json.lines(
          DeadLetterPage.of(page),
          page.letters(),
          "no dead letters",
          AgentsText::deadLetterLines,
          page.next().map("there may be more: --after "::concat));
    }
  }

  @Command(name = "show", description = "Shows a dead letter with the request in it.")
  static final class Show extends StoreCommand {

    @Parameters(paramLabel = "LETTER", description = "Its name, as list shows it.")
    private String name;

    @Mixin private Of of;

    @Override
    public Integer call() {
      DeadLetter letter = board.with(blackboards -> of.find(new DeadLetters(blackboards), name));
      return json.print(DeadLetterView.whole(letter), () -> AgentsText.deadLetter(letter));
    }
  }

  private abstract static class Each extends StoreCommand {

    @Parameters(
        arity = "1..*",
        paramLabel = "LETTER",
        description = "Their names, as list shows them.")
    private List<String> names;

    @Mixin private Of of;

    private final String done;
    private final BiFunction<DeadLetters, DeadLetter, CompletionStage<Void>> change;

    Each(String done, BiFunction<DeadLetters, DeadLetter, CompletionStage<Void>> change) {
      this.done = done;
      this.change = change;
    }

    @Override
    public Integer call() {
      board.with(blackboards -> {
        DeadLetters letters = new DeadLetters(blackboards);
        for (String name : names) {
          DeadLetter letter = of.find(letters, name);
          join(() -> change.apply(letters, letter));
          if (!json.given()) {
            System.out.println("%s %s for %s".formatted(done, name, letter.request().recipient()));
          }
        }
        return done;
      });
      if (json.given()) {
        json.print(Map.of(done, names), String::new);
      }
      return ExitCode.OK.status();
    }
  }

  @Command(
      name = "send",
      description = {
        "Sends dead letters again, one after the other. The run of a letter has no result any more"
            + " until it ends anew.",
        "It may be repeated: of a run that was asked for again since, only the letter goes.",
        "It ends at the first that is not there, or whose run has left nothing.",
      })
  static final class Send extends Each {
    Send() {
      super("sent", (letters, letter) -> letters.send(letter, BoardOptions.WRITER));
    }
  }

  @Command(
      name = "drop",
      description =
          "Drops dead letters for good, one after the other; their runs stay FAILED. It ends at the"
              + " first that is not there.")
  static final class Drop extends Each {
    Drop() {
      super("dropped", DeadLetters::drop);
    }
  }
}
