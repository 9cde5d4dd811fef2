package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.ModelCheck.Model;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelCheckTest {

  private static final String PAGE_SIZE = "colony.vcm.grouping.page-size-tokens";

  @ParameterizedTest
  @CsvSource({"1024, 128", "2048, 643", "8192, 4224", "14000, 8192", "131072, 8192"})
  void pagesAreNoLongerThanTheModelTakesBesideAQuestionAndAReply(long context, int page) {
    Config config = ConfigFactory.load();
    assertThat(config.getInt(PAGE_SIZE)).isEqualTo(8192);
    assertThat(new Model("m", OptionalLong.of(context)).paged(config).getInt(PAGE_SIZE))
        .isEqualTo(page);
    assertThat(new Model("m", OptionalLong.empty()).paged(config)).isSameAs(config);
  }
}
