package dev.colony.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;
import org.scalatest.Args;
import org.scalatest.Args$;
import org.scalatest.Reporter;
import org.scalatest.Suite;
import org.scalatest.events.Event;
import org.scalatest.events.SuiteAborted;
import org.scalatest.events.TestCanceled;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestIgnored;
import org.scalatest.events.TestSucceeded;
import scala.Option;
import scala.jdk.javaapi.OptionConverters;

/**
 * Runs a suite of the public compatibility kit, which is ScalaTest, and tells JUnit each result.
 */
final class ScalaTestRun implements Reporter {

  /**
   * How a test of the kit ended.
   *
   * @param failure empty if it passed
   */
  record Result(String name, Optional<Throwable> failure) {}

  private final List<Result> results = new ArrayList<>();

  private ScalaTestRun() {}

  static Stream<DynamicTest> of(Suite suite) {
    return results(suite).stream()
        .map(result ->
            DynamicTest.dynamicTest(
                result.name(),
                () -> {
                  if (result.failure().isPresent()) {
                    throw result.failure().get();
                  }
                }));
  }

  /** What became of each test, in their order. */
  static List<Result> results(Suite suite) {
    ScalaTestRun run = new ScalaTestRun();
    Args$ defaults = Args$.MODULE$;
    suite.run(
        Option.empty(),
        new Args(
            run,
            defaults.apply$default$2(),
            defaults.apply$default$3(),
            defaults.apply$default$4(),
            defaults.apply$default$5(),
            defaults.apply$default$6(),
            defaults.apply$default$7(),
            defaults.apply$default$8(),
            defaults.apply$default$9(),
            defaults.apply$default$10()));
    return List.copyOf(run.results);
  }

  @Override
  public synchronized void apply(Event event) {
    switch (event) {
      case TestSucceeded passed -> result(passed.testName(), Optional.empty());
      case TestFailed failed ->
          result(
              failed.testName(),
              Optional.of(
                  new AssertionError(
                      failed.message(), OptionConverters.toJava(failed.throwable()).orElse(null))));
      case SuiteAborted aborted ->
          result(
              aborted.suiteName(),
              Optional.of(
                  new AssertionError(
                      aborted.message(),
                      OptionConverters.toJava(aborted.throwable()).orElse(null))));
      case TestCanceled canceled ->
          result(canceled.testName(), Optional.of(new TestAbortedException(canceled.message())));
      case TestIgnored ignored ->
          result(ignored.testName(), Optional.of(new TestAbortedException("ignored")));
      default -> {
        // starting, scopes and notes
      }
    }
  }

  private void result(String name, Optional<Throwable> failure) {
    results.add(new Result(name, failure));
  }
}
