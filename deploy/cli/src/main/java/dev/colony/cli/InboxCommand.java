package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.DeadLetter;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.DeadLetters;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.AgentViews.DeadLetterPage;
import dev.colony.server.agents.AgentViews.DeadLetterView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What there is to do about requests that could not be delivered. */
@Command(
    name = "inbox",
    mixinStandardHelpOptions = true,
    description = "Lists, sends again and drops the dead letters of the inbox.",
    subcommands = {
      InboxCommand.ListThem.class,
      InboxCommand.Show.class,
      InboxCommand.Send.class,
      InboxCommand.Drop.class,
    })
final class InboxCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give a command");
  }

  /** Which letters a command is for. */
  private static final class Of {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        description = "Only letters for agents of this tenant.")
    private Optional<String> tenant;

    DeadLetter find(DeadLetters letters, String name) {
      return join(() -> letters.find(tenant, name))
          .orElseThrow(
              () -> new CommandFailure(ExitCode.UNSUCCESSFUL, "there is no dead letter " + name));
    }
  }

  private static <T> T join(Supplier<CompletionStage<T>> call) {
    return BoardOptions.refusing(call).toCompletableFuture().join();
  }

  /** Lists them. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists dead letters, bucket by bucket and the oldest first.")
  static final class ListThem implements Callable<Integer> {

    @Mixin private Of of;

    @Mixin private LimitOption limit;

    @Option(
        names = "--after",
        paramLabel = "LETTER",
        description = "What the page before ended with.")
    private Optional<String> after;

    @Mixin private JsonOption json;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      int most = limit.checked();
      DeadLetters.Page page =
          board.with(
              blackboards -> join(() -> new DeadLetters(blackboards).list(of.tenant, after, most)));
      if (json.given()) {
        System.out.println(Printable.line(WireJson.write(DeadLetterPage.of(page))));
        return ExitCode.OK.status();
      }
      System.out.println(
          page.letters().isEmpty() ? "no dead letters" : AgentsText.deadLetters(page.letters()));
      page.next().ifPresent(name -> System.out.println("there may be more: --after " + name));
      return ExitCode.OK.status();
    }
  }

  /** Shows one. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Shows a dead letter with the request in it.")
  static final class Show implements Callable<Integer> {

    @Parameters(paramLabel = "LETTER", description = "Its name, as list shows it.")
    private String name;

    @Mixin private Of of;

    @Mixin private JsonOption json;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      DeadLetter letter = board.with(blackboards -> of.find(new DeadLetters(blackboards), name));
      System.out.println(
          json.given()
              ? Printable.line(WireJson.write(DeadLetterView.whole(letter)))
              : AgentsText.deadLetter(letter));
      return ExitCode.OK.status();
    }
  }

  /** Does something with each of some letters. */
  private abstract static class Each implements Callable<Integer> {

    @Parameters(
        arity = "1..*",
        paramLabel = "LETTER",
        description = "Their names, as list shows them.")
    private List<String> names;

    @Mixin private Of of;

    @Mixin private JsonOption json;

    @Mixin private BoardOptions board;

    private final String done;
    private final BiFunction<DeadLetters, DeadLetter, CompletionStage<Void>> change;

    Each(String done, BiFunction<DeadLetters, DeadLetter, CompletionStage<Void>> change) {
      this.done = done;
      this.change = change;
    }

    @Override
    public Integer call() {
      ObjectNode changed = JsonNodeFactory.instance.objectNode();
      ArrayNode all = changed.putArray(done);
      board.with(blackboards -> {
        DeadLetters letters = new DeadLetters(blackboards);
        for (String name : names) {
          DeadLetter letter = of.find(letters, name);
          join(() -> change.apply(letters, letter));
          all.add(name);
          if (!json.given()) {
            System.out.println("%s %s for %s".formatted(done, name, letter.request().recipient()));
          }
        }
        return changed;
      });
      if (json.given()) {
        System.out.println(Printable.line(changed));
      }
      return ExitCode.OK.status();
    }
  }

  /** Sends them again. */
  @Command(
      name = "send",
      mixinStandardHelpOptions = true,
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

  /** Drops them. */
  @Command(
      name = "drop",
      mixinStandardHelpOptions = true,
      description =
          "Drops dead letters for good, one after the other; their runs stay FAILED. It ends at the"
              + " first that is not there.")
  static final class Drop extends Each {
    Drop() {
      super("dropped", DeadLetters::drop);
    }
  }
}
