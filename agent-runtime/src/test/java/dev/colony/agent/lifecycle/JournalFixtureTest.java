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
    JournalFixture.RECORDS.forEach((type, expected) ->
        tests.add(
            DynamicTest.dynamicTest(
                type,
                () ->
                    assertThat(format.read(stored(type), JournalFixture.manifest(type), expected))
                        .isEqualTo(expected))));
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
    assertThat(JournalFixture.RECORDS.keySet()).containsExactlyInAnyOrderElementsOf(types);
  }

  private static byte[] stored(String type) throws IOException {
    String name = "/" + JournalFixture.FIRST + "/" + type + ".cbor";
    try (InputStream record = JournalFixtureTest.class.getResourceAsStream(name)) {
      assertThat(record)
          .as("the stored record " + name + ", which JournalFixture writes")
          .isNotNull();
      return record.readAllBytes();
    }
  }
}
