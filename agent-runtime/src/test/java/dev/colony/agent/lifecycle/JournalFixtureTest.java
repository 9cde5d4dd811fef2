package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Journals that were written by an earlier version are read by this one. */
class JournalFixtureTest {

  private static JournalFormat format;

  @BeforeAll
  static void open() {
    format = new JournalFormat();
  }

  @AfterAll
  static void close() {
    format.close();
  }

  @TestFactory
  List<DynamicTest> everyStoredRecordSaysWhatItSaid() {
    List<DynamicTest> tests = new ArrayList<>();
    JournalFixture.VERSIONS.forEach((folder, records) ->
        records.forEach((type, expected) ->
            tests.add(
                DynamicTest.dynamicTest(
                    folder + " " + type, () -> assertSays(folder, type, expected)))));
    return tests;
  }

  @Test
  void everyTypeThatIsJournaledHasARecord() {
    List<String> types =
        Stream.concat(
                Arrays.stream(AgentEvent.class.getPermittedSubclasses()),
                Stream.of(AgentSnapshot.class))
            .map(Class::getSimpleName)
            .toList();
    assertThat(
            JournalFixture.VERSIONS.values().stream()
                .flatMap(records -> records.keySet().stream())
                .distinct())
        .containsExactlyInAnyOrderElementsOf(types);
  }

  private static void assertSays(String folder, String type, Object expected) throws IOException {
    byte[] stored = stored("/" + folder + "/" + type + ".cbor");
    assertThat(format.read(stored, JournalFixture.manifest(type), expected)).isEqualTo(expected);
  }

  private static byte[] stored(String name) throws IOException {
    try (InputStream record = JournalFixtureTest.class.getResourceAsStream(name)) {
      assertThat(record)
          .as("the stored record " + name + ", which JournalFixture writes")
          .isNotNull();
      return record.readAllBytes();
    }
  }
}
