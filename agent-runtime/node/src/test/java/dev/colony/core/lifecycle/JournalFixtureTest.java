package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
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
    JournalFixture.RECORDS.forEach((file, expected) ->
        tests.add(DynamicTest.dynamicTest(file, () -> assertSays(file, expected))));
    return tests;
  }

  @Test
  void everyTypeThatIsJournaledHasARecord() {
    assertThat(JournalFixture.RECORDS.values().stream().<Class<?>>map(Object::getClass))
        .contains(AgentSnapshot.class)
        .contains(AgentEvent.class.getPermittedSubclasses());
  }

  private static void assertSays(String file, Object expected) throws IOException {
    byte[] stored = stored("/" + JournalFixture.FOLDER + "/" + file + ".cbor");
    assertThat(format.read(stored, JournalFixture.manifest(file), expected)).isEqualTo(expected);
    assertThat(format.manifest(expected)).isEqualTo(JournalFixture.manifest(file));
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
