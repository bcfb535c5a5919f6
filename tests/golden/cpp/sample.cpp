#include <vector>
#include "shape.hpp"

using std::string;

namespace geo::flat {

constexpr double kPi = 3.14;
using Points = std::vector<Point>;
typedef int Index;

/// A closed line.
class Polygon : public Shape, private detail::Cache<Point> {
 public:
  explicit Polygon(Points points);
  virtual ~Polygon() = default;
  double area() const override;
  static Polygon unit() { return Polygon({}); }
  template <typename F> void each(F&& visit) { for (auto& p : points_) visit(p); }
  Polygon& operator+=(const Polygon& other);
  operator bool() const { return !points_.empty(); }
  bool operator==(const Polygon&) const;

 protected:
  Point* first();

 private:
  enum class Winding { Left, Right = 2 };
  Points points_;
  int cached_ = 0;
};

struct Point { double x, y; double length() const { return std::hypot(x, y); } };

template <class T>
concept Drawable = requires(T t) { t.draw(); };

namespace {
int hidden(int a) { return a; }
}  // namespace

double free_area(const Polygon& polygon);

}  // namespace geo::flat

// Adds up triangles.
double geo::flat::Polygon::area() const {
  double sum = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (i % 2) sum += detail::cross<double>(points_[i], points_.at(i + 1));
    else sum -= this->first()->length();
  }
  return sum;
}

Polygon::Polygon(Points points) : points_(std::move(points)) {}

template <typename T>
T clamp(T value, T low, T high) { return value < low ? low : value; }

template <> int clamp<int>(int value, int low, int high) { return value; }

auto square = [](double side) { return side * side; };

static int counter = 0;

TEST(PolygonTest, HasAnArea) {
  auto polygon = std::make_unique<Polygon>(Points{});
  EXPECT_EQ(polygon->area(), new Index(0));
}
