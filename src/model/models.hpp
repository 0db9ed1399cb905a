#pragma once
// Models whose training rates are published, by the names that people use. Their rates on GPUs
// stand in pricing/gpus.json.
#include <array>
#include <string_view>

#include "model/named.hpp"

namespace feedrate {

struct ModelRow {
  std::string_view name;
  std::string_view item;   ///< what its published rates count: "images"
  bool of_tokens = false;  ///< a sample has many of them
  OtherNames also{};
};

inline constexpr std::array model_rows = std::to_array<ModelRow>({
    {"resnet50", "images", false, {"resnet-50", "resnet", "ResNet50", "ResNet-50"}},
    {"ssd", "images", false, {"ssd300", "SSD", "SSD300"}},
    {"bert-base", "sequences", false, {"bert", "bert_base", "BERT", "bert-base-uncased"}},
    {"bert-large", "sequences", false, {"bert_large", "bert-large-uncased"}},
    {"transformer-xl-base", "tokens", true, {"transformer_xl_base", "transformer-xl"}},
    {"transformer-xl-large", "tokens", true, {"transformer_xl_large"}},
    {"gnmt", "tokens", true, {"GNMT"}},
});

using ModelName = Named<model_rows>;

}  // namespace feedrate
