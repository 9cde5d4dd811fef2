package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** What a person reads who asks the command line for help, or types something else. */
class HelpTest {

  @Test
  void withoutACommandAndWithHelpItSaysWhichCommandsThereAre() {
    for (String[] line : List.of(new String[0], new String[] {"help"}, new String[] {"--help"})) {
      Finished help = CommandLineRun.of(line);
      assertThat(help.status()).isZero();
      assertThat(help.out()).startsWith("Usage: colony ").contains("  run  ", "  runs ");
      assertThat(help.err()).isEmpty();
    }
    assertThat(CommandLineRun.of("help", "run").out()).startsWith("Usage: colony run ");
  }

  @Test
  void aWrongWordIsAnsweredByTheRightOne() {
    assertThat(refused("rnu")).contains("there is no command 'rnu': did you mean run?");
    assertThat(refused("stauts")).contains("did you mean status?");
    assertThat(refused("exmaple", "debate")).contains("did you mean example?");
    assertThat(refused("agents", "tre")).contains("did you mean tree?");
    assertThat(refused("run", ".", "--aks", "x")).contains("did you mean --ask?");
    assertThat(refused("status", "--sate=x")).contains("did you mean --state?");
    assertThat(refused("help", "rnu"))
        .contains("there is no command 'rnu': did you mean run?; try: colony --help");
    assertThat(refused("up", "--node", "2")).contains("Unknown option: '--node': did you mean");
    assertThat(refused("frobnicate")).doesNotContain("did you mean");
  }

  /** Only the command that is called is made, and it is the same as among all. */
  @Test
  void aCommandIsTheSameWhereItIsMadeAlone() {
    CommandLine all = ColonyCommand.commandLine();
    all.getSubcommands()
        .forEach((name, command) -> {
          CommandLine called = ColonyCommand.called(name, "--ask");
          assertThat(called.getSubcommands().get(name).getUsageMessage())
              .isEqualTo(command.getUsageMessage());
          assertThat(called.getSubcommands())
              .hasSize(name.equals("help") ? all.getSubcommands().size() : 1);
        });
  }

  private static String refused(String... line) {
    Finished said = CommandLineRun.of(line);
    Rig.assertOneLine(said, 2, "; try: colony");
    return said.err();
  }

  /** A list of commands shows the first line of each description, and no more. */
  @Test
  void aShellCompletesCommandsAndOptions() {
    Finished script = CommandLineRun.of("completion");
    assertThat(script.status()).isZero();
    assertThat(script.out()).contains("complete -F _complete_colony", "pages", "'--ask'");
  }

  @Test
  void eachDescriptionBeginsWithAWholeSentence() {
    List<String> cut = new ArrayList<>();
    commands(ColonyCommand.commandLine())
        .forEach(command -> {
          String name = command.getCommandSpec().qualifiedName();
          String[] about = command.getCommandSpec().usageMessage().description();
          if (about.length == 0 || !whole(about[0])) {
            cut.add(name);
          }
          command.getCommandSpec().args().stream()
              .filter(arg -> !Stream.of(arg.description()).allMatch(HelpTest::whole))
              .map(ArgSpec::paramLabel)
              .forEach(arg -> cut.add(name + " " + arg));
        });
    assertThat(cut).isEmpty();
  }

  private static boolean whole(String line) {
    return line.endsWith(".") || line.endsWith(")");
  }

  private static Stream<CommandLine> commands(CommandLine of) {
    return Stream.concat(
        Stream.of(of), of.getSubcommands().values().stream().flatMap(HelpTest::commands));
  }
}
