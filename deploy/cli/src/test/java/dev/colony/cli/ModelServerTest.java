package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A model server that cannot be used costs one line and its exit status. */
class ModelServerTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unusable")
  void oneThatIsNoModelServer(String name, Reply reply, String why) {
    rig.model().server().models(request -> reply);
    Finished refused = rig.ask().await();
    Rig.assertOneLine(refused, 4, "--model-url: " + rig.model().uri(), why);
    rig.assertNothingRuns();
  }

  static Stream<Arguments> unusable() {
    return Stream.of(
        Arguments.of("answers 500", Reply.status(500, "boom"), "answered 500: boom"),
        Arguments.of("is no JSON", Reply.status(200, "<html>\nhello"), "not JSON"),
        Arguments.of("is other JSON", Reply.status(200, "{\"data\":7}"), "lists no model"),
        Arguments.of("is no HTTP", Reply.raw("220 smtp ready\r\n"), "does not speak HTTP"));
  }

  @Test
  void oneThatIsBusyIsWaitedFor() {
    AtomicInteger asked = new AtomicInteger();
    String list = "{\"data\":[{\"id\":\"m\"}]}";
    rig.model()
        .server()
        .models(request -> asked.getAndIncrement() == 0 ? Reply.hang() : Reply.status(200, list));
    Finished answered = rig.ask().await();
    assertThat(answered.status()).as(answered.err()).isZero();
    assertThat(answered.err()).contains("has not answered for 10 s: waiting up to 180 s for it");
  }

  @Test
  void theDoctorHasItAnswerOneCallAndSaysHowItIsAsked() {
    rig.model()
        .server()
        .chat(request ->
            request.json().has("max_tokens")
                ? Reply.status(
                    400,
                    "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported"
                        + " with this model. Use 'max_completion_tokens' instead.\"}}")
                : Reply.answer("{\"ready\":true}"));
    Finished found = rig.run("doctor", "--model-url", rig.model().uri().toString());
    assertThat(found.out())
        .contains("ok    model")
        .contains("asked as default: chat/completions, max_completion_tokens, JSON strict")
        .contains("(100 tokens read, 10 written)");
    rig.model().server().chat(request -> Reply.answer("I am ready."));
    Finished bad = rig.run("doctor", "--model-url", rig.model().uri().toString());
    assertThat(bad.out()).contains("FAIL  model").contains("it is not JSON");
    assertThat(bad.status()).isNotZero();
  }

  @Test
  void oneThatRefuses() throws Exception {
    String silent = "http://127.0.0.1:" + freePort();
    Finished refused =
        rig.run("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--model-url", silent);
    Rig.assertOneLine(refused, 4, "--model-url: ", silent);
  }

  @Test
  void oneThatBreaksInTheMiddleOfTheRun() {
    rig.model().analysts((call, clues) -> Reply.status(500, "worn out"));
    Finished failed = rig.ask().await();
    Rig.assertOneLine(failed, 1, "no analyst has an answer", "answered 500: worn out");
    rig.assertNothingRuns();
  }

  @Test
  void whereThereIsOneTheEmbeddedReplicaIsNotLoaded() throws IOException {
    assertThat(loadedOfTheReplica(rig::askApart))
        .isNotEmpty()
        .allMatch(name -> name.startsWith(EmbeddedReplicaSettings.class.getName()));
    assertThat(
            loadedOfTheReplica(
                () -> rig.start("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--survey")))
        .contains(EmbeddedReplica.class.getName());
  }

  /** Which classes of the embedded replica a run has loaded; its settings are checked with all. */
  private Set<String> loadedOfTheReplica(Supplier<ColonyProcess> run) throws IOException {
    Path logs = Files.createTempDirectory("loaded");
    // read after the options that commands start with, which turn the log off; a cache of classes
    // would load all that an earlier run has needed
    rig.set(
        "_JAVA_OPTIONS",
        "-XX:+IgnoreUnrecognizedVMOptions -XX:AOTMode=off -Xlog:class+load:file="
            + logs
            + "/%p.log::filecount=0");
    Finished finished = run.get().await();
    assertThat(finished.status()).as(finished.err()).isZero();
    Pattern name = Pattern.compile("] (dev\\.colony\\.replica\\.\\S+) source:");
    Set<String> loaded = new TreeSet<>();
    try (Stream<Path> files = Files.list(logs)) {
      for (Path log : files.toList()) {
        name.matcher(Files.readString(log))
            .results()
            .map(match -> match.group(1))
            .forEach(loaded::add);
      }
    }
    return loaded;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
