package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** OpenAI's own Python client; see {@link PythonClient}. */
@Tag("real")
class OpenAiPythonTest extends OpenAiFixture {

  private static final String SCRIPT =
      """
      import openai
      client = openai.OpenAI(max_retries=0, timeout=60)
      print("models", [model.id for model in client.models.list()])
      ask = [{"role": "user", "content": "What is a bow?"}]
      whole = client.chat.completions.create(model="scripted-1", messages=ask,
          extra_headers={"X-Session-ID": "python", "X-Vllm-Priority": "-2"})
      print("whole", whole.choices[0].message.content, whole.choices[0].finish_reason,
          whole.usage.prompt_tokens_details.cached_tokens)
      parts = client.chat.completions.create(model="scripted-1", messages=ask, stream=True)
      print("parts", "".join(part.choices[0].delta.content or "" for part in parts))
      print("response", client.responses.create(model="scripted-1", input="bow?").output_text)
      with client.responses.stream(model="scripted-1", input="bow?") as events:
          print("events", events.get_final_response().output_text)
      for call in (lambda: client.chat.completions.create(model="none", messages=ask),
                   lambda: client.chat.completions.create(model="scripted-1", messages=[])):
          try:
              call()
          except openai.APIStatusError as refused:
              print("refused", type(refused).__name__, refused.param)
      """;

  @Test
  void itReadsAllThatItIsAnswered() throws Exception {
    Path python = PythonClient.installed("openai");
    assertThat(
            PythonClient.said(
                python,
                SCRIPT,
                Map.of("OPENAI_BASE_URL", rig.api().uri() + "/v1", "OPENAI_API_KEY", "none")))
        .containsExactly(
            "models ['scripted-1']",
            "whole the front of a ship stop 16",
            "parts the front of a ship",
            "response the front of a ship",
            "events the front of a ship",
            "refused NotFoundError model",
            "refused BadRequestError messages");
    assertThat(model.call().path("priority").asInt()).isEqualTo(-2);
  }
}
