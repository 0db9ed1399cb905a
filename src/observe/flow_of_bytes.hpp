#pragma once
// At which rate bytes went by, where events tell only when they had been asked for and when all of
// them had come.
#include <vector>

#include "base/units.hpp"

namespace feedrate::observe {

/// A stretch of time and how much of something was busy in it, 0…1, or went through it a second.
struct Piece {
  Duration begin, end;
  double busy = 1.0;
};

/// How much had gone by at a moment: no less than had come in full, and no more than had been asked
/// for.
struct FlowBounds {
  Duration at;
  double least = 0.0;
  double most = 0.0;
};

/// The steadiest flow from nothing at time 0 that keeps all bounds: no other one's highest rate is
/// lower. At the last bound it ends where it goes on as before, as far as that one lets it.
/// Preconditions: bounds in the order of time, at a time > 0 and each at another one; neither
/// `least` nor `most` falls, and least <= most.
std::vector<Piece> steadiest(const std::vector<FlowBounds>& bounds);

/// What pieces that may overlap are together, where no more than `most` a second goes by from 0 to
/// `end`: what is beyond that goes by as soon as there is room, and what has then no time left,
/// before. Pieces that do not overlap, in order. All of it stays unless `most` is used throughout.
std::vector<Piece> limited(const std::vector<Piece>& pieces, double most, Duration end);

}  // namespace feedrate::observe
