package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import dev.colony.cli.ask.AskRecord.StartedWith;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunClusterTest {

  /** A run goes on with the model that it had: at the same address, or known to be the same. */
  @ParameterizedTest
  @CsvSource({
    // had: url, set, served; now: url, served
    "http://a, '', gpt, http://a, gpt, true",
    "http://a, '', gpt, http://a, other, false",
    "http://a, '', gpt, http://b, gpt, true",
    "http://a, '', gpt, http://b, other, false",
    "http://a, '', gpt, '', the embedded replica, false",
    "'', '', the embedded replica, '', the embedded replica, true",
    "'', '', the embedded replica, http://a, gpt, false",
    "'', '', the embedded replica, '', large: gpt at [http://a], false",
    // Of an older record it is not known which model was served.
    "http://a, '', , http://a, gpt, true",
    "http://a, gpt, , http://a, gpt, true",
    "http://a, gpt, , http://a, other, false",
    "http://a, '', , http://b, gpt, false",
    "'', '', , http://a, gpt, false",
  })
  void sameModel(
      String url, String set, String served, String nowUrl, String nowServed, boolean same) {
    StartedWith had = new StartedWith(url, set, 1, Optional.ofNullable(served), "", true);
    StartedWith now = new StartedWith(nowUrl, "", 3, Optional.of(nowServed), "", true);
    assertThat(RunCluster.sameModel(had, now)).isEqualTo(same);
  }

  @Test
  void anOlderRecordDoesNotSayWhichModelAnswered() {
    StartedWith with = new StartedWith("http://a", "gpt", 2, Optional.of("gpt"), "file", true);
    ObjectNode json =
        (ObjectNode)
            JsonValues.toJson(
                new AskRecord(
                    "r",
                    "?",
                    ".",
                    "m",
                    1,
                    Map.of("binary", 1),
                    0,
                    with,
                    AskPolicy.RESEARCH,
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    Optional.empty(),
                    0));
    json.remove("leftOut");
    ((ObjectNode) json.get("startedWith")).remove(List.of("served", "config", "lone"));
    AskRecord read = (AskRecord) JsonValues.read(json, AskRecord.class);
    assertThat(read.leftOut()).isEmpty();
    assertThat(read.startedWith().served()).isEmpty();
    assertThat(read.startedWith().config()).isEmpty();
    assertThat(read.startedWith().nodes()).isEqualTo(2);
    assertThat(read.startedWith().lone()).isFalse();
  }
}
