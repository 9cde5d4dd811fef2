package dev.colony.cli;

import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.AccessCommand.KeyCommand;
import dev.colony.cli.AskCommand.ChatCommand;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.RunsCommand.SpendingCommand;
import dev.colony.cli.SignalCommands.ApproveCommand;
import dev.colony.cli.SignalCommands.CancelCommand;
import dev.colony.cli.SignalCommands.DenyCommand;
import dev.colony.cli.SignalCommands.ForkCommand;
import dev.colony.cli.SignalCommands.ResumeCommand;
import dev.colony.cli.SignalCommands.RewindCommand;
import dev.colony.cli.SignalCommands.SignalCommand;
import dev.colony.cli.SignalCommands.SuspendCommand;
import dev.colony.cli.StatusCommand.DownCommand;
import dev.colony.cli.StatusCommand.NodeCommand;
import dev.colony.cli.StatusCommand.SuperviseCommand;
import dev.colony.cli.StatusCommand.UpCommand;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.core.registry.FileProblems.CloseName;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root of the command line, and the one place where failures become a line and a status. */
@Command(
    name = "colony",
    mixinStandardHelpOptions = true,
    version = "colony 0.1.0",
    description = "Runs populations of LLM agents over code bases far larger than one model call.",
    footer = {
      "",
      "In a source tree ./colony has two more: bench measures, example runs an example.",
      "",
      "Exit status: 0 done, 1 done, but the outcome is not what was asked for, 2 bad input, 3 in"
          + " use by another process, 4 model server unusable, 5 Redis unusable, 6 a node did not"
          + " start, 7 a node ended by itself, 70 internal fault, 130 interrupted.",
    })
public final class ColonyCommand implements Runnable {

  /** Commands that the launcher adds in a source tree. */
  private static final List<String> IN_A_SOURCE_TREE = List.of("bench", "example");

  /** In the order of the help. */
  private static final List<Class<?>> COMMANDS =
      List.of(
          RunCommand.class,
          UpCommand.class,
          DownCommand.class,
          StatusCommand.class,
          LogsCommand.class,
          DoctorCommand.class,
          ModelsCommand.class,
          SpawnCommand.class,
          AskCommand.class,
          ChatCommand.class,
          ApprovalsCommand.class,
          AgentsCommand.class,
          RunsCommand.class,
          InboxCommand.class,
          LostEventsCommand.class,
          SuspendCommand.class,
          ResumeCommand.class,
          ApproveCommand.class,
          DenyCommand.class,
          SignalCommand.class,
          CancelCommand.class,
          ForkCommand.class,
          RewindCommand.class,
          AttachCommand.class,
          BoardCommand.class,
          PagesCommand.class,
          SpendingCommand.class,
          KeyCommand.class,
          AccessCommand.class,
          NodeCommand.class,
          SuperviseCommand.class,
          McpCommand.class,
          DevCommand.class,
          ColonyCommand.CompletionCommand.class,
          ColonyCommand.WarmUpCommand.class,
          CommandLine.HelpCommand.class);

  @Spec private CommandSpec spec;

  public static int execute(String... arguments) {
    try {
      LogFormat.check(System.getenv());
    } catch (CommandFailure unknown) {
      return failed(unknown, new PrintWriter(System.err, true));
    }
    return called(arguments)
        .setParameterExceptionHandler(ColonyCommand::badUsage)
        .setExecutionExceptionHandler((failure, line, parsed) -> failed(failure, line.getErr()))
        .setUsageHelpAutoWidth(true)
        .execute(arguments);
  }

  /** All commands: ours, and those that other modules on the class path add. */
  public static CommandLine commandLine() {
    CommandLine line = commandLine(COMMANDS);
    ServiceLoader.load(AddedCommand.class).forEach(line::addSubcommand);
    return finished(line);
  }

  /** With the one command that is called: to make all of them is a good part of a start. */
  static CommandLine called(String... arguments) {
    List<Class<?>> called =
        COMMANDS.stream()
            .filter(one -> one != CommandLine.HelpCommand.class)
            .filter(one -> arguments.length > 0 && name(one).equals(arguments[0]))
            .limit(1)
            .toList();
    return called.isEmpty() ? commandLine() : finished(commandLine(called));
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  private static CommandLine commandLine(List<Class<?>> commands) {
    CommandLine line = new CommandLine(new ColonyCommand());
    commands.forEach(line::addSubcommand);
    return line;
  }

  private static CommandLine finished(CommandLine line) {
    Words.register(line);
    line.getSubcommands().values().forEach(ColonyCommand::help);
    return line.setCaseInsensitiveEnumValuesAllowed(true);
  }

  /** Gives a command and those below it the options --help and --version. */
  private static void help(CommandLine line) {
    CommandSpec spec = line.getCommandSpec();
    if (!spec.helpCommand() && !spec.mixinStandardHelpOptions()) {
      spec.mixinStandardHelpOptions(true);
    }
    line.getSubcommands().values().forEach(ColonyCommand::help);
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static int badUsage(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    line.getErr()
        .printf(
            "colony: %s%s; try: %s --help%n",
            Printable.of(wrong(failure)), meant(failure), line.getCommandSpec().qualifiedName());
    return ExitCode.BAD_INPUT.status();
  }

  private static String wrong(ParameterException failure) {
    return unknownCommand(failure)
        .map("there is no command '%s'"::formatted)
        .orElseGet(() ->
            // Behind an unknown option stands its value, mostly: the library calls both unknown.
            failure instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()
                ? "Unknown option: '%s'".formatted(unmatched.getUnmatched().getFirst())
                : failure.getMessage());
  }

  /** What was typed where a command is to stand, behind help too. */
  private static Optional<String> unknownCommand(ParameterException failure) {
    CommandSpec of = failure.getCommandLine().getCommandSpec();
    if (of.subcommands().isEmpty() || !of.positionalParameters().isEmpty()) {
      return Optional.empty();
    }
    return failure instanceof UnmatchedArgumentException unmatched
        ? Optional.of(unmatched.getUnmatched().getFirst())
            .filter(any -> !unmatched.isUnknownOption())
        : Optional.ofNullable(failure.getValue()).filter(any -> failure.getArgSpec() == null);
  }

  /** The command or the option that is nearest to what was typed; empty where none is near. */
  private static String meant(ParameterException failure) {
    CommandSpec of = failure.getCommandLine().getCommandSpec();
    Optional<String> command = unknownCommand(failure);
    if (command.isPresent()) {
      return CloseName.of(
          command.get(),
          Stream.concat(of.subcommands().keySet().stream(), IN_A_SOURCE_TREE.stream()).toList());
    }
    return failure instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()
        ? CloseName.of(
            unmatched.getUnmatched().getFirst().replaceFirst("=.*", ""),
            of.options().stream().flatMap(option -> Stream.of(option.names())).toList())
        : "";
  }

  private static int failed(Exception failure, PrintWriter err) {
    if (OnExit.begun()) {
      return ExitCode.INTERRUPTED.status();
    }
    Optional<CommandFailure> known = CommandFailure.of(failure);
    if (known.isEmpty()) {
      err.println("colony: internal fault, please report it:");
      failure.printStackTrace(err);
      return ExitCode.INTERNAL.status();
    }
    ExitCode exitCode = known.get().exitCode();
    // The caller who interrupted it knows, and has been told how to go on.
    if (exitCode != ExitCode.INTERRUPTED) {
      err.println("colony: " + Printable.of(known.get().getMessage()));
    }
    return exitCode.status();
  }

  /**
   * In which form this process logs. The logging library takes it from the environment itself,
   * before anything of ours runs; a form that it does not know would be no log at all.
   */
  static final class LogFormat {

    private static final String VARIABLE = "COLONY_LOG_FORMAT";
    private static final List<String> KNOWN = List.of("text", "json");

    private LogFormat() {}

    /**
     * Looks whether there will be a log.
     *
     * @throws CommandFailure if the environment names an unknown form
     */
    static void check(Map<String, String> environment) {
      Optional<String> unknown =
          Optional.ofNullable(environment.get(VARIABLE)).filter(format -> !KNOWN.contains(format));
      if (unknown.isPresent()) {
        throw CommandFailure.badInput(
            VARIABLE + " is " + unknown.get() + ", but must be one of " + String.join(", ", KNOWN));
      }
    }
  }

  /** For a shell, which completes by it what a person begins to type. */
  @Command(
      name = "completion",
      mixinStandardHelpOptions = true,
      description =
          "Prints what bash and zsh complete commands and options by: source <(./colony"
              + " completion).")
  static final class CompletionCommand implements Runnable {

    @Override
    public void run() {
      System.out.println(AutoComplete.bash("colony", commandLine()));
    }
  }

  /** Runs once through everything, so that the JVM can cache what a start loads. */
  @Command(
      name = "warm-up",
      hidden = true,
      description =
          "Answers a question about a tiny tree; the launcher records an AOT cache of it.")
  static final class WarmUpCommand implements Callable<Integer> {

    private static final String SAMPLE =
        """
        /** Decides which of two numbers is the larger one. */
        final class Larger {
          static int of(int a, int b) {
            return a > b ? a : b;
          }
        }
        """;

    @Override
    public Integer call() throws IOException {
      Path folder = Files.createTempDirectory("colony-warm-up");
      PrintStream out = System.out;
      try {
        Path tree = Files.createDirectory(folder.resolve("tree"));
        Files.writeString(tree.resolve("Larger.java"), SAMPLE);
        System.setOut(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        String[] search = {
          "run",
          tree.toString(),
          "--ask",
          "Which class decides which number is larger?",
          "--model-url",
          ClusterOptions.NONE,
          "--state",
          folder.resolve("state").toString()
        };
        // An error in the arguments, and a search, take classes of their own.
        ColonyCommand.execute("run", "--none-such");
        ColonyCommand.execute(search);
        String[] survey = Arrays.copyOf(search, search.length + 1);
        survey[search.length] = "--survey";
        return ColonyCommand.execute(survey);
      } finally {
        System.setOut(out);
        StateFolder.deleteTree(folder);
      }
    }
  }
}
