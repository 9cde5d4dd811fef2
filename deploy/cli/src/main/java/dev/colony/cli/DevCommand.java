package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.ColonyProvider;
import dev.colony.agent.client.LocalOptions;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.local.ChildNode;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.OnExit;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "dev",
    description = {
      "Runs a program with agents, and again each time its source is saved.",
      "It compiles SRC against this distribution. Where SRC holds a pom.xml, it runs what Maven or"
          + " an editor compiles into target/classes.",
      "The program is run in the folder of SRC with the question as its argument. When it closes"
          + " its Colony.local(), the steps of its agents are shown. A line that is typed is the"
          + " next question.",
    })
final class DevCommand implements Callable<Integer> {

  private static final int MOST_FOLDERS = 1_000;
  private static final int MOST_FILES = 5_000;

  /** The files of one save are waited for until there is a pause, and so many pauses at most. */
  private static final long PAUSE_MILLIS = 300;

  private static final int MOST_PAUSES = 30;
  private static final long LEAVE_SECONDS = 15;

  @Parameters(
      index = "0",
      paramLabel = "SRC",
      description = "A Java file, or a folder with Java files below it.")
  private Path source;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "QUESTION",
      description = "The argument of the program (default: none).")
  private Optional<String> question = Optional.empty();

  @Option(
      names = "--main",
      paramLabel = "CLASS",
      description = "Which class is run, where several have a main method.")
  private Optional<String> main = Optional.empty();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (ToolProvider.getSystemJavaCompiler() == null) {
      throw CommandFailure.badInput("dev compiles: start it by a JDK");
    }
    if (!Files.exists(source)) {
      throw CommandFailure.badInput("there is no " + source);
    }
    Project project = Project.of(source.toRealPath());
    // Before the log is in it: it belongs to agents alone.
    StateFolder.open(project.folder().resolve(".colony"));
    Program program = new Program(project);
    OnExit interrupted = OnExit.run(program::leave);
    try (WatchService watch = project.folder().getFileSystem().newWatchService()) {
      for (int round = 1; ; round++) {
        project.register(watch);
        Optional<Path> classes = project.compiled(round);
        Optional<String> runs = classes.flatMap(this::program);
        if (runs.isPresent()) {
          program.start(classes.get(), runs.get(), question);
        }
        project.awaitSave(watch);
      }
    } finally {
      interrupted.close();
      program.leave();
    }
  }

  /** The class to run; empty, with a line that says why, where it is not known which. */
  private Optional<String> program(Path classes) {
    try {
      List<String> found = main.map(List::of).orElse(mains(classes));
      if (found.size() == 1) {
        return Optional.of(found.getFirst());
      }
      say(
          found.isEmpty()
              ? "no class of %s has a method public static void main(String[])".formatted(source)
              : "several classes have a main method, name one by --main: " + found);
    } catch (IOException unreadable) {
      say(Text.message(unreadable));
    }
    return Optional.empty();
  }

  private static List<String> mains(Path classes) throws IOException {
    List<String> found = new ArrayList<>();
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {classes.toUri().toURL()}, DevCommand.class.getClassLoader())) {
      for (Path file : below(classes, MOST_FILES, one -> one.toString().endsWith(".class"))) {
        String name = classes.relativize(file).toString().replaceFirst("\\.class$", "");
        try {
          Class<?> type = Class.forName(name.replace(File.separatorChar, '.'), false, loader);
          Method method = type.getDeclaredMethod("main", String[].class);
          if (Modifier.isStatic(method.getModifiers())
              && Modifier.isPublic(method.getModifiers())) {
            found.add(type.getName());
          }
        } catch (ReflectiveOperationException | LinkageError none) {
          // it is no program
        }
      }
    }
    return found;
  }

  /** The first that fit, of all but what is hidden. */
  private static List<Path> below(Path root, int most, Predicate<Path> fits) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(path -> !root.relativize(path).toString().matches("(.*/)?\\.[^/]+(/.*)?"))
          .filter(fits)
          .limit(most)
          .toList();
    }
  }

  private static void say(String line) {
    System.err.println("colony: " + line);
  }

  /**
   * What is compiled, and run in its folder.
   *
   * @param maven whether something else compiles it
   * @param work deleted at the end
   */
  private record Project(Path source, Path folder, boolean maven, Path work) {

    static Project of(Path source) throws IOException {
      Path folder = Files.isDirectory(source) ? source : source.getParent();
      boolean maven = folder.equals(source) && Files.exists(folder.resolve("pom.xml"));
      Path classes = classes(folder);
      if (maven && !Files.isDirectory(classes)) {
        throw CommandFailure.badInput(classes + " is not there: run mvn compile first");
      }
      return new Project(source, folder, maven, Files.createTempDirectory("colony-dev-"));
    }

    private static Path classes(Path folder) {
      return folder.resolve("target").resolve("classes");
    }

    Path watched() {
      return maven ? classes(folder) : folder;
    }

    /** Watches its folders; those that are watched already once. */
    void register(WatchService watch) throws IOException, InterruptedException {
      while (!Files.isDirectory(watched())) {
        Thread.sleep(PAUSE_MILLIS);
      }
      for (Path one : below(watched(), MOST_FOLDERS, Files::isDirectory)) {
        one.register(
            watch,
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_MODIFY,
            StandardWatchEventKinds.ENTRY_DELETE);
      }
    }

    /** Waits for a change of the program, and until its files have been written. */
    void awaitSave(WatchService watch) throws InterruptedException {
      boolean changed = false;
      while (!changed) {
        WatchKey key = watch.take();
        for (int i = 0; i < MOST_PAUSES && key != null; i++) {
          for (WatchEvent<?> event : key.pollEvents()) {
            changed |= maven || String.valueOf(event.context()).endsWith(".java");
          }
          changed |= !key.reset();
          key = watch.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
      }
    }

    /** Where its classes are; empty where the compiler, on standard error, has said why not. */
    Optional<Path> compiled(int round) throws IOException {
      if (maven) {
        return Optional.of(watched());
      }
      List<Path> files =
          Files.isDirectory(source)
              ? below(source, MOST_FILES, one -> one.toString().endsWith(".java"))
              : List.of(source);
      if (files.isEmpty()) {
        say("there is no Java file in " + source);
        return Optional.empty();
      }
      Path classes = Files.createDirectory(work.resolve("classes" + round));
      JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
      try (StandardJavaFileManager manager =
          javac.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
        List<String> options =
            List.of(
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-parameters",
                "-proc:none");
        boolean done =
            javac
                .getTask(
                    new PrintWriter(System.err, true),
                    manager,
                    null,
                    options,
                    null,
                    manager.getJavaFileObjectsFromPaths(files))
                .call();
        return done ? Optional.of(classes) : Optional.empty();
      }
    }
  }

  /** The program as a process of its own, one at a time. */
  private static final class Program {

    private final Project project;
    private Optional<Process> process = Optional.empty();
    private boolean over;

    Program(Project project) {
      this.project = project;
    }

    synchronized void start(Path classes, String name, Optional<String> question)
        throws IOException {
      end();
      if (over) {
        return;
      }
      Path services = project.work().resolve("services");
      Path provider = services.resolve("META-INF/services/" + ColonyProvider.class.getName());
      Files.createDirectories(provider.getParent());
      Files.writeString(provider, StepsShown.class.getName());
      List<Path> first = List.of(services, classes, project.folder());
      List<String> line = new ArrayList<>();
      line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      // A cache of classes holds for one class path.
      ChildNode.jvmOptions().stream().filter(one -> !one.contains("AOT")).forEach(line::add);
      line.add("-Dlogback.configurationFile=logback-file.xml");
      line.add("-Dcolony.log.file=" + project.folder().resolve(".colony/logs/dev.log"));
      line.add("-cp");
      line.add(
          String.join(File.pathSeparator, first.stream().map(Path::toString).toList())
              + File.pathSeparator
              + System.getProperty("java.class.path"));
      line.add(name);
      question.ifPresent(line::add);
      System.out.println("-- " + name + question.map(text -> " \"" + text + '"').orElse(""));
      Process begun =
          new ProcessBuilder(line)
              .directory(project.folder().toFile())
              .redirectOutput(Redirect.INHERIT)
              .redirectError(Redirect.INHERIT)
              .start();
      begun.getOutputStream().close();
      process = Optional.of(begun);
      begun.onExit().thenAccept(this::ended);
    }

    private synchronized void ended(Process one) {
      if (!over && process.filter(one::equals).isPresent()) {
        say(
            (one.exitValue() == 0 ? "" : "the program has ended with " + one.exitValue() + "; ")
                + "it runs again when its source is saved");
      }
    }

    private void end() {
      process.ifPresent(one -> {
        process = Optional.empty();
        one.destroy();
        try {
          if (!one.waitFor(LEAVE_SECONDS, TimeUnit.SECONDS)) {
            one.destroyForcibly().waitFor();
          }
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
          one.destroyForcibly();
        }
      });
    }

    /** For good. */
    synchronized void leave() {
      over = true;
      end();
      try {
        StateFolder.deleteTree(project.work());
      } catch (IOException left) {
        say(Text.message(left));
      }
      OnExit.say("dev has ended");
    }
  }

  /** In the program's process: the colony that is there otherwise, with a look at its steps. */
  public static final class StepsShown implements ColonyProvider {

    /** For {@link ServiceLoader}. */
    public StepsShown() {}

    @Override
    public Optional<Colony> local(LocalOptions options) {
      return ServiceLoader.load(ColonyProvider.class, StepsShown.class.getClassLoader()).stream()
          .filter(one -> one.type() != StepsShown.class)
          .flatMap(one -> one.get().local(options).stream())
          .findFirst()
          .map(colony ->
              (Colony)
                  Proxy.newProxyInstance(
                      StepsShown.class.getClassLoader(),
                      new Class<?>[] {Colony.class},
                      new Shown(colony, ConcurrentHashMap.newKeySet())));
    }
  }

  /** Notes which agents are asked for, and shows at the end what they have done in this process. */
  private record Shown(Colony colony, Set<AgentId> agents) implements InvocationHandler {

    private static final int MOST_STEPS = 100;

    @Override
    public Object invoke(Object proxy, Method method, Object[] given) throws Throwable {
      if (method.getName().equals("close")) {
        show();
      }
      try {
        Object made = method.invoke(colony, given);
        note(made);
        return made;
      } catch (InvocationTargetException failure) {
        throw failure.getCause();
      }
    }

    private void note(Object made) {
      switch (made) {
        case AgentHandle agent -> agents.add(agent.id());
        case CompletableFuture<?> spawned -> spawned.thenAccept(this::note);
        case null, default -> {}
      }
    }

    private void show() {
      Instant since = ProcessHandle.current().info().startInstant().orElse(Instant.MIN);
      try {
        for (AgentId id : agents) {
          System.out.println("-- steps of " + id);
          colony.agent(id).history(Optional.empty(), MOST_STEPS).join().steps().stream()
              .filter(step -> !step.at().isBefore(since))
              .forEach(step -> System.out.println(AgentsText.step(step)));
        }
      } catch (RuntimeException unreadable) {
        say("the steps cannot be shown: " + Text.message(unreadable));
      }
    }
  }
}
