package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.Principal.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Anthropic's own Python client; see {@link PythonClient}. */
@Tag("real")
class AnthropicPythonTest {

  private static final String SCRIPT =
      """
      import anthropic
      from pydantic import BaseModel
      client = anthropic.Anthropic(max_retries=0, timeout=60)
      ask = dict(model="scripted-1", max_tokens=50,
          messages=[{"role": "user", "content": "What is a bow?"}])
      whole = client.messages.create(**ask)
      print("whole", whole.content[0].text, whole.stop_reason, whole.usage.input_tokens,
          whole.usage.cache_read_input_tokens, whole.usage.output_tokens)
      with client.messages.stream(**ask) as stream:
          print("parts", list(stream.text_stream))
          end = stream.get_final_message()
      print("end", end.content[0].text, end.stop_reason, end.usage.input_tokens,
          end.usage.cache_read_input_tokens, end.usage.output_tokens)
      tool = {"name": "look", "description": "Looks a term up.", "input_schema":
          {"type": "object", "properties": {"term": {"type": "string"}}, "required": ["term"]}}
      for how in ("whole", "stream"):
          messages = list(ask["messages"])
          if how == "whole":
              asked = client.messages.create(**{**ask, "messages": messages}, tools=[tool])
          else:
              with client.messages.stream(**{**ask, "messages": messages}, tools=[tool]) as stream:
                  asked = stream.get_final_message()
          use = [block for block in asked.content if block.type == "tool_use"][0]
          messages += [{"role": "assistant", "content": asked.content}, {"role": "user", "content": [
              {"type": "tool_result", "tool_use_id": use.id, "content": "found " + use.input["term"]}]}]
          last = client.messages.create(**{**ask, "messages": messages}, tools=[tool])
          print("tool", how, asked.stop_reason, use.name, use.input, last.content[0].text)

      @anthropic.beta_tool
      def look(term: str) -> str:
          "Looks a term up."
          return "found by hand: " + term
      runner = client.beta.messages.tool_runner(**ask, tools=[look])
      print("runner", runner.until_done().content[0].text)

      class Term(BaseModel):
          term: str
          letters: int
      print("parsed", client.messages.parse(**ask, output_format=Term).parsed_output)
      print("tokens", client.messages.count_tokens(model="scripted-1",
          messages=ask["messages"]).input_tokens > 0)
      print("models", [model.id for model in client.models.list()])
      stranger = anthropic.Anthropic(api_key="none", max_retries=0)
      for call in (lambda: client.messages.create(**{**ask, "model": "none"}),
                   lambda: client.messages.create(**{**ask, "messages": []}),
                   lambda: client.messages.create(**{**ask, "max_tokens": None}),
                   lambda: stranger.messages.create(**ask)):
          try:
              call()
          except anthropic.APIStatusError as refused:
              print("refused", type(refused).__name__, refused.body["error"]["message"])
      """;

  @TempDir private Path folder;

  @Test
  void itReadsAllThatItIsAnswered() throws Exception {
    Path python = PythonClient.installed("anthropic");
    try (OpenAiRig rig = new OpenAiRig(ApiRig.keys(folder, List.of()));
        ScriptedModel model = new ScriptedModel(OfficialClients.model())) {
      rig.serve(Optional.of(model));
      assertThat(
              PythonClient.said(
                  python,
                  SCRIPT,
                  Map.of(
                      "ANTHROPIC_BASE_URL",
                      rig.api().uri().toString(),
                      "ANTHROPIC_API_KEY",
                      ApiRig.key(Role.OPERATOR))))
          .containsExactly(
              "whole the front of a ship end_turn 4 16 5",
              "parts ['the front', ' of a ship']",
              "end the front of a ship end_turn 4 16 5",
              "tool whole tool_use look {'term': 'bow'} found bow",
              "tool stream tool_use look {'term': 'bow'} found bow",
              "runner found by hand: bow",
              "parsed term='bow' letters=3",
              "tokens True",
              "models ['scripted-1']",
              "refused NotFoundError there is no model none; /v1/models lists those there are",
              "refused BadRequestError messages must have at least one message",
              "refused BadRequestError max_tokens is missing",
              "refused AuthenticationError give a valid key: Authorization: Bearer KEY, or"
                  + " x-api-key: KEY");
    }
  }
}
